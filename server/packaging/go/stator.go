// SPDX-License-Identifier: Apache-2.0

// Package statortest starts Stator, a local DynamoDB, for tests. In each package whose tests want a database:
//
//	func TestMain(m *testing.M) { statortest.Main(m) }
//
// Then one server runs for all tests of the package, and each call of Client makes a client of an empty
// database in it. A test that needs flags of its own starts a server for itself:
//
//	client := statortest.Start(t, "--control-plane-delay", "2").Client()
//
// Such a server's time moves, and what became due has happened when this returns:
//
//	server.Advance(t, 25*time.Hour) // or server.SetTime(t, time.Date(2027, ...)), server.Reset(t)
//
// Tests that begin with filled tables are subtests of one that fills them, and each finds them so:
//
//	seeded := statortest.Seed(t, func(client *dynamodb.Client) { ... })
//	seeded.Run(t, "delete", func(t *testing.T, client *dynamodb.Client) { ... })
//
// The program is $STATOR, else stator on PATH.
package statortest

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
)

const startDeadline, stopDeadline = 30 * time.Second, 10 * time.Second

var listening = regexp.MustCompile(`listening on (\S+)`)
var shared *Server // started by Main

type Server struct {
	Endpoint   string
	cmd, guard *exec.Cmd
	log        bytes.Buffer
}

// Main runs the tests of a package with a server at their side and ends the process.
func Main(m *testing.M) {
	var err error
	if shared, err = start(); err != nil {
		log.Fatal(err)
	}
	status := m.Run()
	if err := shared.stop(); err != nil {
		log.Fatal(err)
	}
	os.Exit(status)
}

// Start starts a server with these flags, which is stopped at the end of the test.
func Start(t testing.TB, flags ...string) *Server {
	t.Helper()
	server, err := start(flags...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.stop(); err != nil {
			t.Error(err)
		}
	})
	return server
}

// Client makes a client of an empty database on the server of Main.
func Client() *dynamodb.Client { return shared.Client() }

// Client makes a client of an empty database: its access key is new, and keys share nothing.
func (s *Server) Client() *dynamodb.Client {
	var key [16]byte
	rand.Read(key[:])
	credentials := aws.Credentials{AccessKeyID: fmt.Sprintf("%x", key), SecretAccessKey: "any"}
	return dynamodb.New(dynamodb.Options{
		BaseEndpoint: &s.Endpoint,
		Region:       "us-east-1",
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return credentials, nil
		}),
	})
}

// Advance moves the time of all databases of the server ahead.
func (s *Server) Advance(t testing.TB, by time.Duration) {
	t.Helper()
	s.admin(t, "clock", map[string]any{"advance": fmt.Sprintf("%dus", by.Microseconds())})
}

// SetTime moves the time of all databases of the server to one that is not over.
func (s *Server) SetTime(t testing.TB, to time.Time) {
	t.Helper()
	s.admin(t, "clock", map[string]any{"set": to.UTC().Format("2006-01-02T15:04:05.000000Z")})
}

// Reset removes all tables of the server.
func (s *Server) Reset(t testing.TB) {
	t.Helper()
	s.admin(t, "reset", map[string]any{})
}

// Mark remembers the state of all databases of the server, and the time if it is moved later.
func (s *Server) Mark(t testing.TB, name string) {
	t.Helper()
	s.admin(t, "marks/"+name, map[string]any{})
}

// Rollback goes back to the state of a mark; it may be gone back to again.
func (s *Server) Rollback(t testing.TB, name string) {
	t.Helper()
	s.admin(t, "marks/"+name+"/rollback", map[string]any{})
}

// Seeded is a server that goes back to the state in which its database was filled.
type Seeded struct {
	server *Server
	client *dynamodb.Client
}

// Seed starts a server with these flags, which is stopped at the end of the test, and fills a database of it.
func Seed(t testing.TB, fill func(*dynamodb.Client), flags ...string) *Seeded {
	t.Helper()
	s := &Seeded{server: Start(t, flags...)}
	s.client = s.server.Client()
	fill(s.client)
	s.server.Mark(t, "seeded")
	return s
}

// Run goes back to what was filled in and runs a subtest on it. Such subtests cannot be parallel.
func (s *Seeded) Run(t *testing.T, name string, test func(*testing.T, *dynamodb.Client)) bool {
	t.Helper()
	s.server.Rollback(t, "seeded")
	return t.Run(name, func(t *testing.T) { test(t, s.client) })
}

func (s *Server) admin(t testing.TB, path string, body map[string]any) {
	t.Helper()
	sent, _ := json.Marshal(body)
	direct := http.Client{Transport: &http.Transport{}} // through no proxy
	defer direct.CloseIdleConnections()
	answer, err := direct.Post(s.Endpoint+"/_stator/"+path, "application/json", bytes.NewReader(sent))
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if told, _ := io.ReadAll(answer.Body); answer.StatusCode != http.StatusOK {
		t.Fatalf("%s %s: %s", path, sent, told)
	}
}

func start(flags ...string) (*Server, error) {
	program := os.Getenv("STATOR")
	if program == "" {
		program = "stator"
	}
	s := &Server{cmd: exec.Command(program, append([]string{"--port", "0", "--isolate", "key"}, flags...)...)}
	s.cmd.Stderr = &s.log
	stdout, _ := s.cmd.StdoutPipe()
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	// Its standard input closes when this process ends in whatever way; then it ends the server.
	s.guard = exec.Command("sh", "-c", `read _; kill "$0"`, strconv.Itoa(s.cmd.Process.Pid))
	s.guard.StdinPipe()
	s.guard.Start()
	defer time.AfterFunc(startDeadline, func() { s.cmd.Process.Kill() }).Stop()
	for lines := bufio.NewScanner(stdout); lines.Scan(); {
		if found := listening.FindStringSubmatch(lines.Text()); found != nil {
			s.Endpoint = found[1]
			return s, nil
		}
	}
	return nil, fmt.Errorf("%s did not listen: %s", program, s.wait())
}

func (s *Server) stop() error {
	s.cmd.Process.Signal(syscall.SIGTERM)
	defer time.AfterFunc(stopDeadline, func() { s.cmd.Process.Kill() }).Stop()
	if outcome := s.wait(); !s.cmd.ProcessState.Success() {
		return fmt.Errorf("%s ended with %s", s.cmd.Path, outcome)
	}
	return nil
}

// wait waits for the end of the server and returns its status and log.
func (s *Server) wait() string {
	s.cmd.Wait()
	if s.guard.Process != nil {
		s.guard.Process.Kill()
		s.guard.Wait()
	}
	return fmt.Sprintf("%s\n%s", s.cmd.ProcessState, s.log.String())
}
