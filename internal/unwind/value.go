package unwind

func number(n int64) value { return value{form: formNumber, offset: n} }

// deref returns what lies at v.
func (v value) deref() value {
	switch v.form {
	case formSP:
		return value{form: formDerefSP, offset: v.offset}
	case formFP:
		return value{form: formDerefFP, offset: v.offset}
	}
	return value{form: formUnknown}
}

// plus returns v + w.
func (v value) plus(w value) value {
	if v.form == formNumber || v.form == formPush {
		v, w = w, v
	}
	switch {
	case w.form == formNumber:
		return v.plusNumber(w.offset)
	case w.form == formPush && v.form == formSP:
		return value{form: formPLT, offset: v.offset, extra: w.extra}
	}
	return value{form: formUnknown}
}

func (v value) plusNumber(n int64) value {
	switch v.form {
	case formNumber, formSP, formFP, formPC, formCFA, formPLT:
		v.offset += n
		return v
	case formDerefSP, formDerefFP:
		v.extra += n
		return v
	}
	return value{form: formUnknown}
}
