package nvml

// Unknown is the number of bytes where the driver does not say it.
const Unknown = -1

// Card is what the driver says of a card's memory, in bytes.
type Card struct {
	Process     int64 // that this process uses; Unknown in a container, where it may have another number than the driver knows
	Used, Total int64
}
