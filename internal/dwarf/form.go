package dwarf

// form is how an attribute's value is written (7.5.6).
type form uint16

const (
	formAddr          form = 0x01
	formBlock2        form = 0x03
	formBlock4        form = 0x04
	formData2         form = 0x05
	formData4         form = 0x06
	formData8         form = 0x07
	formString        form = 0x08
	formBlock         form = 0x09
	formBlock1        form = 0x0a
	formData1         form = 0x0b
	formFlag          form = 0x0c
	formSdata         form = 0x0d
	formStrp          form = 0x0e
	formUdata         form = 0x0f
	formRefAddr       form = 0x10
	formRef1          form = 0x11
	formRef2          form = 0x12
	formRef4          form = 0x13
	formRef8          form = 0x14
	formRefUdata      form = 0x15
	formIndirect      form = 0x16
	formSecOffset     form = 0x17
	formExprloc       form = 0x18
	formFlagPresent   form = 0x19
	formStrx          form = 0x1a
	formAddrx         form = 0x1b
	formRefSup4       form = 0x1c
	formStrpSup       form = 0x1d
	formData16        form = 0x1e
	formLineStrp      form = 0x1f
	formRefSig8       form = 0x20
	formImplicitConst form = 0x21
	formLoclistx      form = 0x22
	formRnglistx      form = 0x23
	formRefSup8       form = 0x24
	formStrx1         form = 0x25
	formStrx2         form = 0x26
	formStrx3         form = 0x27
	formStrx4         form = 0x28
	formAddrx1        form = 0x29
	formAddrx2        form = 0x2a
	formAddrx3        form = 0x2b
	formAddrx4        form = 0x2c
	formGNUAddrIndex  form = 0x1f01
	formGNUStrIndex   form = 0x1f02
	formGNURefAlt     form = 0x1f20
	formGNUStrpAlt    form = 0x1f21
)

// encoding is what the sizes of values in a unit depend on.
type encoding struct {
	version     uint16
	addressSize uint8
	offsetSize  uint8 // 4, or 8 in 64-bit DWARF
}

// The sizes of values that do not have the same size everywhere.
const (
	sizeLEB     = -1 - iota // up to a byte below 0x80
	sizeText                // up to a zero byte
	sizeBlock1              // a length of that many bytes, and what it says
	sizeBlock2              //
	sizeBlock4              //
	sizeBlock               // a LEB128 length
	sizeNamed               // a LEB128 form, and a value in that form
	sizeUnknown             // an unknown form: what follows cannot be read
)

// size returns how many bytes a value takes, or one of the constants above.
func (e encoding) size(f form) int {
	switch f {
	case formFlagPresent, formImplicitConst:
		return 0
	case formData1, formRef1, formFlag, formStrx1, formAddrx1:
		return 1
	case formData2, formRef2, formStrx2, formAddrx2:
		return 2
	case formStrx3, formAddrx3:
		return 3
	case formData4, formRef4, formRefSup4, formStrx4, formAddrx4:
		return 4
	case formData8, formRef8, formRefSup8, formRefSig8:
		return 8
	case formData16:
		return 16
	case formAddr:
		return int(e.addressSize)
	case formStrp, formSecOffset, formStrpSup, formLineStrp, formGNURefAlt, formGNUStrpAlt:
		return int(e.offsetSize)
	case formRefAddr:
		if e.version <= 2 {
			return int(e.addressSize)
		}
		return int(e.offsetSize)
	case formSdata, formUdata, formRefUdata, formStrx, formAddrx, formLoclistx, formRnglistx, formGNUAddrIndex,
		formGNUStrIndex:
		return sizeLEB
	}
	return sizeOfBlock(f)
}

func sizeOfBlock(f form) int {
	switch f {
	case formString:
		return sizeText
	case formBlock1:
		return sizeBlock1
	case formBlock2:
		return sizeBlock2
	case formBlock4:
		return sizeBlock4
	case formBlock, formExprloc:
		return sizeBlock
	case formIndirect:
		return sizeNamed
	}
	return sizeUnknown
}

// value is a number that an attribute has, and what kind of number it is. The zero value stands for an attribute that is
// absent. The number of a string that stands among the entries is its offset there.
type value struct {
	number uint64
	form   form
}

func (v value) present() bool { return v.form != 0 }

// isAddress reports whether the value is an address or the index of one; a DW_AT_high_pc may also be a length.
func (v value) isAddress() bool {
	switch v.form {
	case formAddr, formAddrx, formAddrx1, formAddrx2, formAddrx3, formAddrx4, formGNUAddrIndex:
		return true
	}
	return false
}

// value reads a value. For formImplicitConst, the constant is the abbreviation's.
func (c *cursor) value(e encoding, f form, constant int64) value {
	v := value{form: f}
	switch size := e.size(f); {
	case f == formImplicitConst:
		v.number = uint64(constant)
	case f == formSdata:
		v.number = uint64(c.sleb())
	case size == sizeLEB:
		v.number = c.uleb()
	case size == sizeText:
		v.number = c.offset()
		c.skipText()
	case size == sizeNamed:
		if f = form(c.uleb()); f != formIndirect && f != formImplicitConst {
			return c.value(e, f, 0)
		}
		c.fail()
	case size < 0:
		c.skipValue(size)
	case size > 0:
		v.number = c.number(uint8(size))
	}
	return v
}

// skipValue skips a value of a size that e.size has given.
func (c *cursor) skipValue(size int) {
	switch size {
	case sizeLEB:
		c.uleb()
	case sizeText:
		c.skipText()
	case sizeBlock1:
		c.skip(uint64(c.u8()))
	case sizeBlock2:
		c.skip(uint64(c.u16()))
	case sizeBlock4:
		c.skip(uint64(c.u32()))
	case sizeBlock:
		c.skip(c.uleb())
	case sizeUnknown:
		c.fail()
	default:
		c.skip(uint64(size))
	}
}
