package linearizability

import (
	"bufio"
	"os"
	"os/exec"
	"regexp"
	"sync"
	"syscall"
	"testing"
)

var listening = regexp.MustCompile(`listening on (https?://\S+)`)

// server is a Stator process that can be killed and started again on the same data and port.
type server struct {
	t       *testing.T
	flags   []string
	port    string
	process *exec.Cmd
	address string
	down    sync.RWMutex // held from a crash until the next process listens
}

func startServer(t *testing.T, flags ...string) *server {
	s := &server{t: t, flags: flags, port: "0"}
	s.start()
	t.Cleanup(func() {
		if err := s.process.Process.Signal(syscall.SIGTERM); err != nil {
			t.Errorf("the server had ended: %v", err)
		}
		if err := s.process.Wait(); err != nil {
			t.Errorf("the server ended badly: %v", err)
		}
	})
	return s
}

func (s *server) start() {
	s.t.Helper()
	s.process = exec.Command(os.Getenv("STATOR_BINARY"), append([]string{"--port", s.port}, s.flags...)...)
	s.process.Stderr = os.Stderr
	stdout, err := s.process.StdoutPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	if err := s.process.Start(); err != nil {
		s.t.Fatal(err)
	}
	line, err := bufio.NewReader(stdout).ReadString('\n')
	match := listening.FindStringSubmatch(line)
	if err != nil || match == nil {
		s.t.Fatalf("the server did not say where it listens: %q, %v", line, err)
	}
	s.address = match[1]
	s.port = regexp.MustCompile(`\d+$`).FindString(match[1])
}

// crash kills the process as a power cut would, and starts the next one.
func (s *server) crash() {
	s.t.Helper()
	s.down.Lock()
	defer s.down.Unlock()
	if err := s.process.Process.Kill(); err != nil {
		s.t.Fatal(err)
	}
	_ = s.process.Wait() // killed: an error by design
	s.start()
}

// crashAtEach crashes at each signal but the last.
func (s *server) crashAtEach(part <-chan struct{}) {
	for i := 0; i < crashes; i++ {
		<-part
		s.crash()
	}
}

// awaitListening returns at once unless the server is between two processes.
func (s *server) awaitListening() {
	s.down.RLock()
	defer s.down.RUnlock()
}
