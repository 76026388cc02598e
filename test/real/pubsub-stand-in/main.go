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
	"time"

	"cloud.google.com/go/pubsub/pstest"
	pb "google.golang.org/genproto/googleapis/pubsub/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// A topic with this label refuses what is sent, as one that the account may not publish to; a
// subscription with it refuses to be consumed.
const refusing = "refusing"

// How long after the label was set a stream is ended, at most.
const looksEvery = 20 * time.Millisecond

var denied = status.Error(codes.PermissionDenied, "User not authorized to perform this action.")

func main() {
	port := flag.Int("port", 0, "port of the loopback interface; 0: any that is free")
	flag.Parse()
	listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", *port))
	if err != nil {
		log.Fatal(err)
	}
	// The fake listens on a port that it chooses itself; its service is served again on ours.
	fake := pstest.NewServer()
	server := grpc.NewServer(
		grpc.UnaryInterceptor(permissionsOf(&fake.GServer)),
		grpc.StreamInterceptor(streamPermissionsOf(&fake.GServer)),
	)
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
				return nil, denied
			}
		}
		if acknowledge, is := request.(*pb.AcknowledgeRequest); is {
			if !mayConsume(service, acknowledge.Subscription) {
				return nil, denied
			}
		}
		if modify, is := request.(*pb.ModifyAckDeadlineRequest); is {
			if !mayConsume(service, modify.Subscription) {
				return nil, denied
			}
		}
		return handle(ctx, request)
	}
}

// The fake gives out its subscriptions as they are, which an operator may change meanwhile; nobody
// is hurt by that here.
func mayConsume(service *pstest.GServer, name string) bool {
	request := &pb.GetSubscriptionRequest{Subscription: name}
	subscription, err := service.GetSubscription(context.Background(), request)
	return err != nil || subscription.Labels[refusing] == ""
}

func streamPermissionsOf(service *pstest.GServer) grpc.StreamServerInterceptor {
	return func(
		_ interface{},
		stream grpc.ServerStream,
		_ *grpc.StreamServerInfo,
		handle grpc.StreamHandler,
	) error {
		ctx, cancel := context.WithCancel(stream.Context())
		defer cancel()
		watched := &watchedStream{stream, ctx, make(chan string, 1)}
		ended := make(chan error, 1)
		go func() { ended <- handle(service, watched) }()
		name := ""
		for {
			select {
			case err := <-ended:
				return err
			case name = <-watched.names:
			case <-time.After(looksEvery):
			}
			if name != "" && !mayConsume(service, name) {
				return denied
			}
		}
	}
}

// A stream that tells which subscription it is of.
type watchedStream struct {
	grpc.ServerStream
	ctx   context.Context
	names chan string
}

func (stream *watchedStream) Context() context.Context { return stream.ctx }

func (stream *watchedStream) RecvMsg(message interface{}) error {
	err := stream.ServerStream.RecvMsg(message)
	if pull, is := message.(*pb.StreamingPullRequest); err == nil && is && pull.Subscription != "" {
		stream.names <- pull.Subscription
	}
	return err
}
