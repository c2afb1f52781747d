package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/bufbuild/protocompile"
	"google.golang.org/protobuf/cmd/protoc-gen-go/internal_gengo"
	"google.golang.org/protobuf/compiler/protogen"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/pluginpb"
)

func main() {
	internal_gengo.GenerateVersionMarkers = false
	for _, file := range os.Args[1:] {
		if err := generate(file); err != nil {
			fmt.Fprintf(os.Stderr, "proto: %s: %v\n", file, err)
			os.Exit(1)
		}
	}
}

func generate(file string) error {
	descriptor, err := compile(file)
	if err != nil {
		return err
	}
	name := path.Join(descriptor.GetOptions().GetGoPackage(), filepath.Base(file))
	descriptor.Name = &name
	source, err := goSource(descriptor)
	if err != nil {
		return err
	}
	return os.WriteFile(strings.TrimSuffix(file, ".proto")+".pb.go", []byte(source), 0o644)
}

func compile(file string) (*descriptorpb.FileDescriptorProto, error) {
	compiler := protocompile.Compiler{
		Resolver: &protocompile.SourceResolver{
			Accessor: func(name string) (io.ReadCloser, error) { return os.Open(name) },
		},
		SourceInfoMode: protocompile.SourceInfoStandard, // comments
	}
	files, err := compiler.Compile(context.Background(), file)
	if err != nil {
		return nil, err
	}
	return protodesc.ToFileDescriptorProto(files[0]), nil
}

func goSource(descriptor *descriptorpb.FileDescriptorProto) (string, error) {
	plugin, err := protogen.Options{}.New(&pluginpb.CodeGeneratorRequest{
		FileToGenerate: []string{descriptor.GetName()},
		ProtoFile:      []*descriptorpb.FileDescriptorProto{descriptor},
	})
	if err != nil {
		return "", err
	}
	internal_gengo.GenerateFile(plugin, plugin.Files[0])
	response := plugin.Response()
	if response.Error != nil {
		return "", fmt.Errorf("generating: %s", response.GetError())
	}
	return response.File[0].GetContent(), nil
}
