package authz

// Question asks whether a subject may do something to a resource.
type Question struct {
	Subject  Subject  `json:"subject"`
	Action   Action   `json:"action"`
	Resource Resource `json:"resource"`
	// Context holds what conditions read about the request: "ip", "time", "mfa", and any other key.
	Context map[string]any `json:"context,omitempty"`
}

// Subject is who asks.
type Subject struct {
	// Type is "user", "service" and so on.
	Type string `json:"type"`
	// ID is the caller's own identifier of the subject.
	ID string `json:"id,omitempty"`
	// Properties are attributes for conditions; they override the recorded ones key by key.
	Properties map[string]any `json:"properties,omitempty"`
	// Roles are roles that the subject has in addition to the recorded ones: "role" or "application/role".
	Roles []string `json:"roles,omitempty"`
}

// Action is what it wants to do.
type Action struct {
	Name       string         `json:"name"`
	Properties map[string]any `json:"properties,omitempty"`
}

// Resource is what it wants to do that to. It has an ID or a Name.
type Resource struct {
	// Type is the name of a resource type while that is unique, or "application/type".
	Type string `json:"type"`
	ID   string `json:"id,omitempty"`
	// Name is known to this service alone, and wins over ID.
	Name       string         `json:"name,omitempty"`
	Properties map[string]any `json:"properties,omitempty"`
}

type questionOptions struct {
	Explain  bool     `json:"explain,omitempty"`
	Semantic Semantic `json:"evaluations_semantic,omitempty"`
	Reasons  bool     `json:"reasons,omitempty"`
}

func (o questionOptions) orNone() *questionOptions {
	if o == (questionOptions{}) {
		return nil
	}
	return &o
}
