package standin

import (
	"encoding/binary"
	"net/http"
	"strconv"
)

// Connect answers a unary call of the Connect protocol with an empty message.
func Connect(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/proto")
}

// ConnectError answers with an error, as connect's servers do.
func ConnectError(w http.ResponseWriter, status int, code, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(`{"code":` + strconv.Quote(code) + `,"message":` + strconv.Quote(message) + `}`))
}

// GRPC answers a call of gRPC with one message.
func GRPC(w http.ResponseWriter, message []byte) {
	w.Header().Set("Content-Type", "application/grpc+proto")
	w.Header().Set("Trailer", "Grpc-Status")
	prefix := binary.BigEndian.AppendUint32([]byte{0}, uint32(len(message)))
	_, _ = w.Write(append(prefix, message...))
	w.Header().Set("Grpc-Status", "0")
}

// GRPCError answers with a code of gRPC.
func GRPCError(w http.ResponseWriter, code int, message string) {
	w.Header().Set("Content-Type", "application/grpc+proto")
	w.Header().Set("Grpc-Status", strconv.Itoa(code))
	w.Header().Set("Grpc-Message", message)
}
