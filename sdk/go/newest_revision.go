package authz

import (
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// revisionToken is NUMBER.DIGEST, and .EPOCH-ID where the service has declared an epoch: whatever its number, a revision of a
// later epoch is newer. What else follows the number is the service's affair.
var revisionToken = regexp.MustCompile(`^(\d{1,15})\.[0-9a-z.-]{1,100}$`)

var tokenEpoch = regexp.MustCompile(`\.(\d{1,15})-[0-9a-f]{8}$`)

// newestRevision is the newest revision of its tenant that a client has seen in answers, or was told of. Requests carry it
// along, so that none is answered from before it. A decision point that names no revisions is never sent one.
type newestRevision struct {
	mutex  sync.Mutex
	epoch  int64
	number int64
	token  string
}

func (n *newestRevision) carried() string {
	if n == nil {
		return ""
	}
	n.mutex.Lock()
	defer n.mutex.Unlock()
	return n.token
}

// saw takes over a revision that is newer, and says whether it is one. Among two of one number the later heard of counts: the
// other one is lost.
func (n *newestRevision) saw(token string) bool {
	if n == nil || token == "" {
		return false
	}
	if token == n.carried() {
		return true
	}
	parts := revisionToken.FindStringSubmatch(token)
	if parts == nil {
		return false
	}
	number, _ := strconv.ParseInt(parts[1], 10, 64)
	var epoch int64
	if named := tokenEpoch.FindStringSubmatch(token); named != nil {
		epoch, _ = strconv.ParseInt(named[1], 10, 64)
	}
	n.mutex.Lock()
	defer n.mutex.Unlock()
	if n.token == "" || epoch > n.epoch || (epoch == n.epoch && number >= n.number) {
		n.epoch, n.number, n.token = epoch, number, token
	}
	return true
}

// isRefused says whether a request that carried this revision was refused for it. The tenant never had it, or lost it when
// its database was set back: then it is forgotten, and the request may go again without.
func (n *newestRevision) isRefused(token string, err *Error) bool {
	named := err.Status == http.StatusBadRequest && strings.Contains(err.Detail, "Service-Min-Revision")
	if err.Code != CodeUnknownRevision && !named {
		return false
	}
	n.mutex.Lock()
	defer n.mutex.Unlock()
	if n.token == token {
		n.epoch, n.number, n.token = 0, 0, ""
	}
	return true
}

// Revision is the newest revision that the client has seen; empty before the first one, and where it carries none.
func (c *Client) Revision() string { return c.newest.carried() }

// NotBefore says that from now on, nothing is answered from before this revision, such as that of a commit by another
// client: one that wrote at the cloud, say, where this one asks an agent.
func (c *Client) NotBefore(revision string) error {
	if c.newest != nil && !c.newest.saw(revision) {
		return failure(CodeInvalidRequest, "%.100q is no revision: give one as answers name it, like \"42.9f86d081884c7d65\".", revision)
	}
	return nil
}
