// Serves Google's own in-memory fake of Pub/Sub, the package pstest of its Go library, on a port of
// the loopback interface. It is built by install.ts from Debian's golang-google-cloud-dev.
//
//	pubsub-stand-in -port 8085
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"net"

	"cloud.google.com/go/pubsub/pstest"
	pb "google.golang.org/genproto/googleapis/pubsub/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// A topic with this label refuses what is sent, as one that the account may not publish to.
const refusing = "refusing"

func main() {
	port := flag.Int("port", 0, "port of the loopback interface; 0: any that is free")
	flag.Parse()
	listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", *port))
	if err != nil {
		log.Fatal(err)
	}
	// The fake listens on a port that it chooses itself; its service is served again on ours.
	fake := pstest.NewServer()
	server := grpc.NewServer(grpc.UnaryInterceptor(permissionsOf(&fake.GServer)))
	pb.RegisterPublisherServer(server, &fake.GServer)
	pb.RegisterSubscriberServer(server, &fake.GServer)
	fmt.Println(listener.Addr())
	log.Fatal(server.Serve(listener))
}

// The fake knows no permissions.
func permissionsOf(service *pstest.GServer) grpc.UnaryServerInterceptor {
	return func(
		ctx context.Context,
		request interface{},
		_ *grpc.UnaryServerInfo,
		handle grpc.UnaryHandler,
	) (interface{}, error) {
		if publish, is := request.(*pb.PublishRequest); is {
			topic, err := service.GetTopic(ctx, &pb.GetTopicRequest{Topic: publish.Topic})
			if err == nil && topic.Labels[refusing] != "" {
				text := "User not authorized to perform this action."
				return nil, status.Error(codes.PermissionDenied, text)
			}
		}
		return handle(ctx, request)
	}
}
