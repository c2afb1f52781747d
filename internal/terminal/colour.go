package terminal

import "strconv"

// Paint returns plain text in a colour.
func (c Colour) Paint(text string) string {
	if c == None || text == "" {
		return text
	}
	return "\x1b[" + strconv.Itoa(int(c)) + "m" + text + "\x1b[0m"
}
