// A website of Go's net/http for .ci/servers.
//
//	site CERTIFICATE KEY VERSION
//
// It speaks this version of TLS ("1.2" or "1.3") and no other, and prints where it listens.
package main

import (
	"crypto/tls"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
)

const page = `{"name": "Ada", "balance": 5120}`

// json sets the page's type.
func json(response http.ResponseWriter) {
	response.Header().Set("Content-Type", "application/json")
}

// whole sends the page with its length.
func whole(response http.ResponseWriter, _ *http.Request) {
	json(response)
	fmt.Fprint(response, page)
}

// chunked sends the page in two chunks.
func chunked(response http.ResponseWriter, _ *http.Request) {
	json(response)
	fmt.Fprint(response, page[:16])
	response.(http.Flusher).Flush()
	fmt.Fprint(response, page[16:])
}

// trailers sends the page in chunks, and a header field after them.
func trailers(response http.ResponseWriter, request *http.Request) {
	response.Header().Set("Trailer", "Page-Checksum")
	chunked(response, request)
	response.Header().Set("Page-Checksum", "5f0c")
}

func main() {
	if len(os.Args) != 4 {
		log.Fatal("usage: site CERTIFICATE KEY VERSION")
	}
	http.HandleFunc("/page.json", whole)
	http.HandleFunc("/chunked", chunked)
	http.HandleFunc("/trailers", trailers)
	version, known := map[string]uint16{"1.2": tls.VersionTLS12, "1.3": tls.VersionTLS13}[os.Args[3]]
	if !known {
		log.Fatal("the version is not 1.2 or 1.3")
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("listening at", listener.Addr())
	server := http.Server{TLSConfig: &tls.Config{MinVersion: version, MaxVersion: version}}
	log.Fatal(server.ServeTLS(listener, os.Args[1], os.Args[2]))
}
