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
// A run that needs more than a policy grants fails, and tells all that is missing:
//
//	limits := statortest.Limit(t, `{"Version": "2012-10-17", ...}`) // limits.Owner() makes the tables
//	run(limits.Client())
//
// Requests fail on demand until the end of a test, which fails unless one of them did:
//
//	statortest.MakeFault(t, statortest.Rule{Match: map[string]any{"operation": "PutItem"},
//		When: map[string]any{"times": 1}, Effect: map[string]any{"drop": "after"}})
//
// Clients that are made for a test, statortest.Client(t), have it tell why its requests failed when it fails.
//
// An application that makes a client of its own, by config.LoadDefaultConfig, has one of an empty database after
//
//	statortest.Setenv(t)
//
// The program is $STATOR, else stator on PATH. Where STATOR_ENDPOINT is http://HOST:PORT of a server that runs with
// --isolate key, nothing is started and that one is used.
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
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
)

const startDeadline, stopDeadline, adminDeadline = 30 * time.Second, 10 * time.Second, time.Minute

const region = "us-east-1"
const shownMax, databasesMax = 20, 50 // requests that failed, databases that are asked about

var listening = regexp.MustCompile(`listening on (\S+)`)
var shared *Server // started by Main

const noServer = "no Stator server runs: "

// Server is a server that runs, whose data is in memory when it was started here.
type Server struct {
	Endpoint   string
	cmd, guard *exec.Cmd // nil: it was started elsewhere
	token      string    // of --console-token, where the server needs it
	mutex      sync.Mutex
	keys       []string // of databases that this process has made, the last ones
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
	server := startFor(t, flags...)
	server.explainFailure(t) // before it stops
	return server
}

func startFor(t testing.TB, flags ...string) *Server {
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

// Client makes a client of an empty database on the server of Main. With a test, Client(t), that test tells why requests
// of this database failed when it fails itself.
func Client(t ...testing.TB) *dynamodb.Client { return shared.Client(t...) }

// Config makes the settings of clients of an empty database on the server of Main, for NewFromConfig of packages like
// dynamodbstreams.
func Config(t ...testing.TB) aws.Config { return shared.Config(t...) }

// Client makes a client of an empty database: its access key is new, and keys share nothing.
func (s *Server) Client(t ...testing.TB) *dynamodb.Client {
	return dynamodb.NewFromConfig(s.Config(t...))
}

// Config makes the settings of clients of an empty database.
func (s *Server) Config(t ...testing.TB) aws.Config {
	key := newKey()
	config := s.config(key)
	for _, test := range t {
		s.explainFailure(test, key)
	}
	return config
}

func (s *Server) config(key string) aws.Config {
	config := s.configOf(key, "any")
	s.remember(key)
	return config
}

func (s *Server) configOf(key, secret string) aws.Config {
	if s == nil || s.Endpoint == "" { // a client without an endpoint would call the cloud
		panic(noServer + "add func TestMain(m *testing.M) { statortest.Main(m) } to the tests of this package, " +
			"or call statortest.Start(t)")
	}
	credentials := aws.Credentials{AccessKeyID: key, SecretAccessKey: secret}
	return aws.Config{
		BaseEndpoint: &s.Endpoint,
		Region:       region,
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return credentials, nil
		}),
	}
}

// remember notes a database that this process has made.
func (s *Server) remember(key string) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.keys = append(s.keys, key); len(s.keys) > databasesMax {
		s.keys = s.keys[1:]
	}
}

// request is what /_stator/requests tells of one.
type request struct {
	ID                                     string `json:"request_id"`
	AccessKey                              string `json:"access_key"`
	Time, Operation, Table, Error, Message string
	Status                                 int
	Hints                                  []string
}

// explainFailure logs, when the test has failed, why requests of these databases did since now; of no key, of all that
// this process has made on the server.
func (s *Server) explainFailure(t testing.TB, keys ...string) {
	before := map[string]bool{}
	for _, one := range s.failures(keys) {
		before[one.ID] = true
	}
	t.Cleanup(func() {
		if !t.Failed() {
			return
		}
		if told := explanation(s.failures(keys), before); told != "" {
			t.Log(told)
		}
	})
}

// explanation is like that of `stator explain`; empty when no request has failed that was not there before.
func explanation(failures []request, before map[string]bool) string {
	var told []string
	for _, one := range failures {
		if before[one.ID] {
			continue
		}
		line := strings.Join(strings.Fields(fmt.Sprintf("%s %d %s %s %s", one.Time, one.Status, one.Operation, one.Table,
			one.Error)), " ")
		if one.Message != "" {
			line += ": " + one.Message
		}
		for _, hint := range one.Hints {
			line += "\n  -> " + hint
		}
		told = append(told, line+"\n  id "+one.ID)
	}
	if len(told) == 0 {
		return ""
	}
	title := "Stator: requests of this test that failed"
	if left := len(told) - shownMax; left > 0 {
		title, told = fmt.Sprintf("%s (%d before these)", title, left), told[left:]
	}
	return title + "\n" + strings.Join(told, "\n")
}

// failures are the last requests that failed, oldest first; of a server that is gone, none.
func (s *Server) failures(keys []string) []request {
	if len(keys) == 0 {
		s.mutex.Lock()
		keys = append(keys, s.keys...)
		s.mutex.Unlock()
	}
	var found []request
	for _, key := range keys {
		var told struct{ Requests []request }
		answer, err := s.ask("requests?access_key="+key, nil)
		if err != nil || json.Unmarshal(answer, &told) != nil {
			continue
		}
		for at := len(told.Requests) - 1; at >= 0; at-- {
			if one := told.Requests[at]; one.AccessKey == key && one.Status >= http.StatusBadRequest {
				found = append(found, one)
			}
		}
	}
	sort.SliceStable(found, func(i, j int) bool { return found[i].Time < found[j].Time })
	return found
}

// What would lead a client past the variables that Setenv sets, or is the user's own.
var unset = []string{"AWS_PROFILE", "AWS_DEFAULT_PROFILE", "AWS_SESSION_TOKEN", "AWS_SECURITY_TOKEN", "AWS_ACCOUNT_ID",
	"AWS_ACCOUNT_ID_ENDPOINT_MODE", "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS", "AWS_USE_FIPS_ENDPOINT",
	"AWS_USE_DUALSTACK_ENDPOINT"}

// Setenv makes an empty database on the server of Main that of each client which the application makes by
// config.LoadDefaultConfig until the end of the test, which cannot be parallel. It returns a client of it.
func Setenv(t *testing.T) *dynamodb.Client { return shared.Setenv(t) }

// Setenv makes an empty database that of each client which the application makes by config.LoadDefaultConfig.
func (s *Server) Setenv(t *testing.T) *dynamodb.Client {
	t.Helper()
	key := newKey()
	config := s.config(key)
	s.explainFailure(t, key)
	for _, name := range unset {
		t.Setenv(name, "") // which brings it back at the end
		os.Unsetenv(name)
	}
	for name, value := range map[string]string{
		"AWS_ENDPOINT_URL_DYNAMODB": s.Endpoint, "AWS_ENDPOINT_URL_DYNAMODB_STREAMS": s.Endpoint,
		"AWS_ACCESS_KEY_ID": key, "AWS_SECRET_ACCESS_KEY": "any", "AWS_REGION": region, "AWS_DEFAULT_REGION": region,
	} {
		t.Setenv(name, value)
	}
	return dynamodb.NewFromConfig(config)
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

// Mapping is an event source mapping after Settle. One that waits for something, such as a retry, is "blocked".
type Mapping struct{ Mapping, Function, Status, Reason, Until string }

// Settle waits until functions have got all records of the streams that trigger them. The test fails when calls are left
// after half a minute.
func (s *Server) Settle(t testing.TB) []Mapping {
	t.Helper()
	answer, err := s.ask("triggers/settle", map[string]any{"timeout_ms": 30000})
	var told struct {
		Settled  bool
		Mappings []Mapping
	}
	if err == nil {
		err = json.Unmarshal(answer, &told)
	}
	if err != nil {
		t.Fatal(err)
	}
	if !told.Settled {
		t.Fatalf("calls of functions are left: %s", answer)
	}
	return told.Mappings
}

// Rule says which requests fail on demand, which of them, and how. Stator's page faults.md describes the members.
//
// Preset makes the rules of a preset instead, such as "throttled" or, with its argument, "hot-table orders".
type Rule struct {
	Preset   string         `json:"preset,omitempty"`
	Match    map[string]any `json:"match,omitempty"`
	When     map[string]any `json:"when,omitempty"`
	Effect   map[string]any `json:"effect,omitempty"`
	Optional bool           `json:"-"` // whether the rule may never fire
}

// Fault is a rule that a test has made.
type Fault struct {
	server *Server
	names  []string // more than one for some presets
}

// MakeFault is Fault for the server of Main.
func MakeFault(t testing.TB, rule Rule) *Fault {
	t.Helper()
	return shared.Fault(t, rule)
}

// Fault makes requests fail on demand until the end of the test, which fails unless the rule fired, and with "times" in
// When, as often.
func (s *Server) Fault(t testing.TB, rule Rule) *Fault {
	t.Helper()
	path, body := "faults", map[string]any{}
	if name, argument, hasArgument := strings.Cut(rule.Preset, " "); rule.Preset != "" {
		path = "faults/presets/" + url.PathEscape(name)
		if hasArgument {
			body["argument"] = argument
		}
	} else {
		body["name"], body["effect"] = "test-"+newKey(), rule.Effect
		if rule.Match != nil {
			body["match"] = rule.Match
		}
		if rule.When != nil {
			body["when"] = rule.When
		}
	}
	var made struct{ Rules []struct{ Name string } }
	answer, err := s.ask(path, body)
	if err == nil {
		err = json.Unmarshal(answer, &made)
	}
	if err != nil {
		t.Fatal(err)
	}
	f := &Fault{server: s}
	for _, one := range made.Rules {
		f.names = append(f.names, one.Name)
	}
	t.Cleanup(func() {
		fired := f.Fired(t)
		for _, name := range f.names {
			s.admin(t, "faults/"+name+"/remove", map[string]any{})
		}
		times, isCounted := rule.When["times"]
		if rule.Optional || fired > 0 && (!isCounted || fmt.Sprint(times) == strconv.Itoa(fired)) {
			return
		}
		if !isCounted {
			times = "once or more"
		}
		told, _ := json.Marshal(rule)
		t.Errorf("the fault fired %d times, not %v: %s", fired, times, told)
	})
	return f
}

// Fired is how many requests the rule made fail, or the rules of a preset together.
func (f *Fault) Fired(t testing.TB) int {
	t.Helper()
	fired := 0
	for _, name := range f.names {
		var state struct{ Fired int }
		answer, err := f.server.ask("faults/"+name, nil)
		if err == nil {
			err = json.Unmarshal(answer, &state)
		}
		if err != nil {
			t.Fatal(err)
		}
		fired += state.Fired
	}
	return fired
}

// Seeded is a server that goes back to the state in which its database was filled.
type Seeded struct {
	Server *Server // whose time may be moved, for a subtest
	client *dynamodb.Client
}

// Seed starts a server with these flags, which is stopped at the end of the test, and fills a database of it.
func Seed(t testing.TB, fill func(*dynamodb.Client), flags ...string) *Seeded {
	t.Helper()
	s := &Seeded{Server: startFor(t, flags...)}
	s.client = s.Server.Client()
	fill(s.client)
	s.Server.Mark(t, "seeded")
	return s
}

// Run goes back to what was filled in and runs a subtest on it. Such subtests cannot be parallel.
func (s *Seeded) Run(t *testing.T, name string, test func(*testing.T, *dynamodb.Client)) bool {
	t.Helper()
	s.Server.Rollback(t, "seeded")
	return t.Run(name, func(t *testing.T) {
		s.Server.explainFailure(t)
		test(t, s.client)
	})
}

const limitedAccount = "000000000000"
const limitedPrincipal = "arn:aws:iam::" + limitedAccount + ":user/limited"

// Limits is a server whose client may do what a policy allows.
type Limits struct {
	Server         *Server
	limited, owner accessKey
}

type accessKey struct {
	ID     string `json:"id"`
	Secret string `json:"secret"`
}

// Limit starts a server for a policy, a document in JSON. What it does not allow is done all the same, so that a run shows
// everything that it needs. If that is more, the test fails and tells all that is missing.
func Limit(t testing.TB, policy string) *Limits {
	t.Helper()
	limits := limit(t, policy, "audit")
	t.Cleanup(func() { // before the server stops
		if missing := limits.Missing(t); len(missing) > 0 {
			t.Errorf("the policy lacks what this run needed:\n  %s", strings.Join(missing, "\n  "))
		}
	})
	return limits
}

// Enforce starts a server that denies what the policy does not allow.
func Enforce(t testing.TB, policy string) *Limits {
	t.Helper()
	return limit(t, policy, "iam")
}

func limit(t testing.TB, policy, mode string) *Limits {
	t.Helper()
	made := &Limits{limited: accessKey{newKey(), newKey()}, owner: accessKey{newKey(), newKey()}}
	principal := func(arn string, key accessKey, policies ...json.RawMessage) map[string]any {
		return map[string]any{"arn": arn, "keys": []accessKey{key}, "policies": policies}
	}
	content, err := json.Marshal(map[string]any{"version": 1, "account": limitedAccount, "principals": []any{
		principal(limitedPrincipal, made.limited, json.RawMessage(policy)),
		principal("arn:aws:iam::"+limitedAccount+":root", made.owner, []json.RawMessage{}...),
	}})
	if err != nil {
		t.Fatalf("the policy is not JSON: %v", err)
	}
	file, token := t.TempDir()+"/access.json", newKey()
	if err := os.WriteFile(file, content, 0o600); err != nil {
		t.Fatal(err)
	}
	made.Server = startFor(t, "--auth", mode, "--access-file", file, "--console-token", token, "--isolate", "region")
	made.Server.token = token
	return made
}

// Client makes a client that has the policy.
func (l *Limits) Client() *dynamodb.Client { return l.client(l.limited) }

// Owner makes a client that may do everything, with the same tables.
func (l *Limits) Owner() *dynamodb.Client { return l.client(l.owner) }

// Config makes the settings of clients that have the policy.
func (l *Limits) Config() aws.Config { return l.Server.configOf(l.limited.ID, l.limited.Secret) }

func (l *Limits) client(key accessKey) *dynamodb.Client {
	return dynamodb.NewFromConfig(l.Server.configOf(key.ID, key.Secret))
}

// Missing is what was needed and not allowed so far: "dynamodb:Scan on arn:...".
func (l *Limits) Missing(t testing.TB) []string {
	t.Helper()
	answer, err := l.Server.ask("access/report?only=denied&principal="+limitedPrincipal, nil)
	if err != nil {
		t.Fatal(err)
	}
	var told struct {
		Principals []struct {
			Uses []struct{ Action, Resource string }
		}
	}
	if err := json.Unmarshal(answer, &told); err != nil {
		t.Fatal(err)
	}
	var missing []string
	for _, principal := range told.Principals {
		for _, use := range principal.Uses {
			missing = append(missing, use.Action+" on "+use.Resource)
		}
	}
	return missing
}

func (s *Server) admin(t testing.TB, path string, body map[string]any) {
	t.Helper()
	if _, err := s.ask(path, body); err != nil {
		t.Fatal(err)
	}
}

// ask posts a body to a path below /_stator/, or gets it when there is none.
func (s *Server) ask(path string, body map[string]any) ([]byte, error) {
	method, sent := http.MethodGet, []byte(nil)
	if body != nil {
		method = http.MethodPost
		sent, _ = json.Marshal(body)
	}
	request, err := http.NewRequest(method, s.Endpoint+"/_stator/"+path, bytes.NewReader(sent))
	if err != nil {
		return nil, err
	}
	if s.token != "" {
		request.Header.Set("x-stator-token", s.token)
	}
	direct := http.Client{Transport: &http.Transport{}, Timeout: adminDeadline} // through no proxy
	defer direct.CloseIdleConnections()
	answer, err := direct.Do(request)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	told, err := io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s %s: %s", path, sent, told)
	}
	return told, err
}

func newKey() string {
	var key [16]byte
	rand.Read(key[:])
	return fmt.Sprintf("%x", key)
}

var address = regexp.MustCompile(`^https?://[^/]+/?$`)

// start starts a server, or gives that of STATOR_ENDPOINT.
func start(flags ...string) (*Server, error) {
	if named := os.Getenv("STATOR_ENDPOINT"); named != "" {
		return attach(named, flags)
	}
	return launch(flags)
}

func attach(named string, flags []string) (*Server, error) {
	if !address.MatchString(named) {
		return nil, fmt.Errorf(noServer+"STATOR_ENDPOINT is %q, not http://HOST:PORT", named)
	}
	s := &Server{Endpoint: strings.TrimSuffix(named, "/")}
	if len(flags) > 0 {
		return nil, fmt.Errorf("the server of STATOR_ENDPOINT, %s, runs already and takes no flags: %s", s.Endpoint,
			strings.Join(flags, " "))
	}
	// A key of nobody's; a server that shares tables between keys refuses.
	if _, err := s.ask("reset", map[string]any{"access_key": newKey()}); err != nil {
		return nil, fmt.Errorf(noServer+"STATOR_ENDPOINT names none for tests, start it with --isolate key: %w", err)
	}
	return s, nil
}

func launch(flags []string) (*Server, error) {
	program := os.Getenv("STATOR")
	if program == "" {
		program = "stator"
	}
	command := []string{"--port", "0"}
	if !strings.Contains(strings.Join(flags, " "), "--isolate ") {
		command = append(command, "--isolate", "key")
	}
	s := &Server{cmd: exec.Command(program, append(command, flags...)...)}
	s.cmd.Stderr = &s.log
	stdout, _ := s.cmd.StdoutPipe()
	if err := s.cmd.Start(); err != nil {
		return nil, fmt.Errorf(noServer+"%w. The variable STATOR may name a program, and STATOR_ENDPOINT a server that "+
			"runs elsewhere", err)
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
	return nil, fmt.Errorf(noServer+"%s did not listen: %s", program, s.wait())
}

func (s *Server) stop() error {
	if s.cmd == nil {
		return nil
	}
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
