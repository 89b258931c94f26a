import { type ClientOptions, ServiceClient } from './client.js';
import type { DecisionQuestion } from './question.js';
import type { CallOptions, ServiceRequest } from './transport.js';
import type { AccessRuleViolation, Address, AuditEntry, Change, Limits, Page, Scope } from './wire.js';

/** Which ways of signing in a cloud offers. */
export interface SignInWays {
  /** With a one-time link of `servicectl console`. */
  link: boolean;
  /** With the identity provider, at `/console/oidc`. */
  oidc: boolean;
}

/** The settings by which people sign in to the console, but the secrets. */
export interface SignInSettings {
  /** From where one-time links are taken. */
  links: 'loopback' | 'anywhere' | 'off';
  /** Absent where no identity provider is set up. */
  provider?: {
    issuer: string;
    client_id: string;
    /** The redirect URI to register at the provider. */
    callback: string;
    scope: string;
    /** The type of the subjects that persons are in the records, and what its id is. */
    subject_type: string;
    subject: 'sub' | 'email';
    groups_claim: string;
    /** The paths of groups here, by the names of the provider's groups. */
    groups: { [name: string]: string[] };
  };
}

/** Records that do nothing, or likely not what was meant. */
export interface LintFindings {
  total: number;
  /** The proven ones first, and not all of many. */
  findings: { rule: string; certainty: 'proven' | 'suspected'; address: Address; detail: string }[];
}

/** A session of the console. Times are RFC 3339 in UTC. */
export interface ConsoleSession {
  id: string;
  /** Who is signed in: a person, or the credential whose holder made the link. */
  person: { kind: 'person' | 'api_key' | 'oauth_client'; id: string; name: string };
  tenant: { id: string; name: string };
  sign_in: 'link' | 'oidc';
  created_at: string;
  /** When it ends unless something is asked before. */
  idle_at: string;
  /** When it ends in any case. */
  expires_at: string;
}

/** One's own session, with what one may do at this moment. */
export interface OwnSession extends ConsoleSession {
  scopes: (Scope | 'operator')[];
  /** The widest that one may write; absent means unlimited. */
  limits?: Limits;
}

export interface Draft {
  /** The revision that the changes were made for; the cloud refuses with `stale_base` when it has moved. */
  base_revision: string;
  /** The stack that the changes belong to. */
  stack: string;
  changes: Change[];
}

/** The plan of a draft: the document of `servicectl plan --json`, with the access rules that it would break. */
export interface DraftPlan {
  format: 1;
  tenant: string;
  stack: string;
  base_revision: string;
  changes: { [member: string]: unknown }[];
  counts: { added: number; changed: number; removed: number; unchanged: number };
  access: { [member: string]: unknown };
  /** How many findings `access` has in all; the worst 1,000 are told. */
  finding_count: number;
  /** The changed records to copy, as a tree and as Terraform declares them; absent if there are none or very many. */
  texts?: { yaml: string; hcl?: string };
  /** The rules that it would newly break; one of the mode `enforce` refuses the commit. */
  violations: AccessRuleViolation[];
}

/** Changes that would allow a denied question, each confirmed by the engine, and what else they would do. */
export interface AllowingProposal {
  /** In a few words. */
  summary: string;
  /** Whether it takes away a DENY, a link to one, or something that an ALLOW requires. */
  removes_protection: boolean;
  changes: Change[];
  /** Whose records it changes or removes, if these are all of one stack. */
  stack?: string;
  /** The changes by the stack that makes them, if they are of several: each needs a draft of its own. */
  parts?: { stack: string; changes: Change[] }[];
  /** How many other recorded triples of subject, action and resource it would allow, for some requests at least. */
  grants: number;
  /** Whether that number is exact, and not an upper bound. */
  exact: boolean;
  /** Whether it also grants to what has no record, or at other times. */
  beyond_records: boolean;
  /** The access rules that it would break; one of the mode `enforce` refuses the commit. */
  breaks: { rule: string; mode: 'enforce' | 'warn'; detail: string }[];
}

/** The smallest changes that would allow a question. */
export interface WhyNotAnswer {
  /** Whether it is allowed as it is; then there are no proposals. */
  allowed: boolean;
  reason: string;
  /** Requests that are allowed without any change, and the condition on requests that says when. */
  ask: {
    condition?: string;
    /** Values to send besides, by names like `context.mfa`. */
    requests: { summary: string; sends: Record<string, unknown> }[];
  };
  /**
   * Those that grant least besides come first, then those that take away a protection, and what an access rule would refuse
   * last.
   */
  proposals: AllowingProposal[];
  /** How many more would allow it whose further effect was not computed. */
  not_weighed: number;
}

/** One of two compared moments. */
export interface ComparedMoment {
  revision: string;
  /** When the revision was committed: RFC 3339 in UTC. */
  committed_at: string;
  /** How many of its records have lost values since, by an erasure. */
  erased: number;
}

/** The differences between two moments of the tenant. */
export interface Comparison {
  before: ComparedMoment;
  after: ComparedMoment;
  counts: { added: number; changed: number; removed: number };
  /** The records that differ, by address, without credentials; at most a thousand. */
  changes: AuditEntry['changes'];
  /** The document of `servicectl impact --json`, with at most a thousand findings, worst first. */
  access: { [member: string]: unknown };
  /** How many findings there are. */
  finding_count: number;
}

/** A scope of the tenant, such as somebody answers for. */
export interface ReviewScope {
  /**
   * The address of an application, a type of resources (`resource_type/billing/invoice`), a resource and all below it, or a
   * subject (`subject/user/alice`).
   */
  scope: Address;
  /** Only these; absent means every action. */
  actions?: readonly string[] | undefined;
}

/** The actions that subjects may do to resources of one type, under one condition. */
export interface ReviewRow {
  /** Hangs on all that the row says but for the ways, and on each of its members. */
  id: string;
  subject: /** All who belong directly to a group, a role or everyone, and have it by that: `group/finance`, `everyone/user`. */
    | { kind: 'members'; of: string; count: number }
    | { kind: 'recorded'; path: string; name?: string }
    | { kind: 'unrecorded'; type: string }
    /** With `types` only subjects of these. */
    | { kind: 'named_role'; role: string; types?: string[]; types_except?: string[] };
  /** `*` stands for every action but those of `actions_except`. */
  actions: string[];
  actions_except?: string[];
  resources: ReviewedResources[];
  /** The condition that a request must satisfy besides, in CEL; null where nothing remains open. */
  condition: string | null;
  /** True where it cannot be said whether it is allowed. */
  unclear?: true;
  /** RFC 3339; null from now on. */
  from: string | null;
  /** RFC 3339; null without end. */
  until: string | null;
  /** How it comes to be: groups and roles as addresses in order, and the policy. */
  ways: { through: string[]; policy: string; place?: string; since?: string }[];
}

/** Resources of one type, as findings of an access delta name them. */
export interface ReviewedResources {
  type: string;
  which: 'all' | 'recorded' | 'named' | 'unrecorded' | 'nowhere' | 'unsaid';
  below?: string;
  and_below?: string[];
  /** The paths of the first ones. */
  names?: string[];
  recorded: number;
}

/** Which of a review is asked for. */
export interface ReviewPage {
  /** `rows`: what a group, a role or everyone gives its members is one row each. `subjects`: each subject by itself. */
  list?: 'rows' | 'subjects';
  /** The id of a row: only its members. */
  row?: string;
  /** Only what has all of these words: of a row, or of it and a member together. */
  words?: string;
  offset?: number;
  /** At most 1000. */
  limit?: number;
}

/** A page of who has access in a scope. Times are RFC 3339. */
export interface AccessReview {
  revision: string;
  committed_at: string;
  /** The moment from which on it is looked at. */
  as_of: string;
  /** The rows of the page that was asked for. */
  rows: ReviewRow[];
  /** How many rows the whole review has. */
  row_count: number;
  /** How many rows have the words, and how many they are with each subject by itself. */
  listed: { rows: number; subjects: number };
  /** False if there was too much to look at. */
  complete: boolean;
}

/** A review that somebody signs off. */
export interface SignOffCommand extends ReviewScope {
  /** The revision of the review. */
  revision: string;
  /** The clock of the review. */
  as_of: string;
  /** `keep`: all of it is as it should be. */
  decision: 'keep' | 'change';
  note?: string;
  /** The ids of the rows, and members of rows, that need change. */
  rows_to_change?: readonly string[];
}

/** A sign-off: somebody has reviewed who has access in a scope. Nothing changes or removes it. */
export interface SignOff {
  id: string;
  /** RFC 3339. */
  at: string;
  request_id: string;
  person: ConsoleSession['person'];
  /** The address of what was reviewed: `resource_type/billing/invoice`. */
  scope: Address;
  /** Absent if all were. */
  actions?: string[];
  revision: string;
  /** RFC 3339: the clock of what was looked at. */
  as_of: string;
  decision: 'keep' | 'change';
  note: string;
  row_count: number;
  /** SHA-256 over the ids of all rows, one a line. */
  rows_digest: string;
  to_change: Omit<ReviewRow, 'ways'>[];
}

/** The changes in who has access in a scope. */
export interface AccessChanges {
  before: ComparedMoment;
  after: ComparedMoment;
  /** As `servicectl impact --json` has them; at most a thousand, worst first. */
  findings: { [member: string]: unknown }[];
  finding_count: number;
  /** False if there was too much to look at: more may have changed. */
  complete: boolean;
}

/** Numbers about a tenant. */
export interface TenantSummary {
  revision: string;
  /** How many subjects have a record, by type; the largest first. */
  subjects: { type: string; count: number }[];
  /** How many roles and policies are given, by the application that these belong to, null for those of the tenant. */
  grants: { application: string | null; count: number }[];
  /** The links that end within 30 days, the next first; at most a thousand are listed. */
  expiring: { count: number; per_day: number[]; links: ExpiringLink[] };
  /** When all access to each application was last signed off; those first that wait longest. */
  reviews: { application: string; signed_off_at: string | null }[];
}

/** A link that ends soon: what it gives to whom. */
export interface ExpiringLink {
  address: Address;
  given: Address;
  /** The address of the subject, group or role; `everyone/user` for everyone of a type. */
  to: Address;
  /** The name of the subject. */
  name?: string;
  /** RFC 3339. */
  expires_at: string;
}

/**
 * The console's client: everything that `ServiceClient` does, as the person whose session the browser has.
 *
 * ```ts
 * const client = new ConsoleClient({ url: `${location.origin}/console/api` });
 * const { person, scopes } = await client.session();
 * ```
 */
export class ConsoleClient extends ServiceClient {
  constructor(options: Omit<ClientOptions, 'credentials'>) {
    super(options);
  }

  /** Needs no session. */
  async signInWays(options?: CallOptions): Promise<SignInWays> {
    return (await this.json({ method: 'GET', path: '/sign-in', repeat: 'harmless' }, options)) as SignInWays;
  }

  /** Takes the scope `credentials`. */
  async signInSettings(options?: CallOptions): Promise<SignInSettings> {
    const request: ServiceRequest = { method: 'GET', path: '/sign-in-settings', repeat: 'harmless' };
    return (await this.json(request, options)) as SignInSettings;
  }

  /** Signs in with the token of a one-time link, which holds once. */
  async signIn(link: string, options?: CallOptions): Promise<OwnSession> {
    const request: ServiceRequest = { method: 'POST', path: '/session', body: { link }, repeat: 'once', writes: true };
    return (await this.json(request, options)) as OwnSession;
  }

  /** One's own session. Rejects with `unauthorized` where nobody is signed in. */
  async session(options?: CallOptions): Promise<OwnSession> {
    return (await this.json({ method: 'GET', path: '/session', repeat: 'harmless' }, options)) as OwnSession;
  }

  async signOut(options?: CallOptions): Promise<void> {
    await this.json({ method: 'DELETE', path: '/session', repeat: 'harmless', writes: true }, options);
  }

  /** One's own sessions, the latest first; with the scope `credentials` all of the tenant. */
  async sessions(options?: CallOptions): Promise<ConsoleSession[]> {
    const request: ServiceRequest = { method: 'GET', path: '/sessions', repeat: 'harmless' };
    return ((await this.json(request, options)) as Page<ConsoleSession>).items;
  }

  async endSession(id: string, options?: CallOptions): Promise<void> {
    const path = `/sessions/${encodeURIComponent(id)}`;
    await this.json({ method: 'DELETE', path, route: '/sessions/{id}', repeat: 'harmless', writes: true }, options);
  }

  /** Plans what changes would do to records, access and access rules. Nothing is changed. */
  async planDraft(draft: Draft, options?: CallOptions): Promise<DraftPlan> {
    const request: ServiceRequest = { method: 'POST', path: '/draft-plans', body: draft, repeat: 'harmless' };
    return (await this.json(request, options)) as DraftPlan;
  }

  /** How many people and grants there are, what ends soon, and what was signed off when. */
  async summary(options?: CallOptions): Promise<TenantSummary> {
    return (await this.json({ method: 'GET', path: '/summary', repeat: 'harmless' }, options)) as TenantSummary;
  }

  /** Finds what does nothing in the records of the newest revision. Rejects with `stale_base` where this is not the newest. */
  async lint(revision: string, options?: CallOptions): Promise<LintFindings> {
    const request: ServiceRequest = { method: 'GET', path: '/lint', query: { revision }, repeat: 'harmless' };
    return (await this.json(request, options)) as LintFindings;
  }

  /**
   * Finds what would allow a question that is denied at this revision. Rejects with `stale_base` where that is not the
   * newest.
   */
  async whyNot(base: string, question: DecisionQuestion, options?: CallOptions): Promise<WhyNotAnswer> {
    const body = { base_revision: base, question };
    const request: ServiceRequest = { method: 'POST', path: '/why-not', body, repeat: 'harmless' };
    return (await this.json(request, options)) as WhyNotAnswer;
  }

  /**
   * Compares records and access between two revisions or times; without `after`, until now. Rejects with `outside_history`
   * for what is no longer kept.
   */
  async compare(before: string, after: string | undefined, options?: CallOptions): Promise<Comparison> {
    const query = { before, after };
    const request: ServiceRequest = { method: 'GET', path: '/comparison', query, repeat: 'harmless' };
    return (await this.json(request, options)) as Comparison;
  }

  /**
   * Who has access in a scope, now or at a past revision or time, from there or from `as_of` on. Rejects with
   * `not_found` for no scope and no row. Pages fit together where they state the revision and clock of the first one.
   */
  async reviewAccess(
    { actions, ...of }: ReviewScope,
    asked: { at?: string; as_of?: string } & ReviewPage = {},
    options?: CallOptions,
  ): Promise<AccessReview> {
    const query = { ...of, actions: actions?.join(','), ...asked };
    const request: ServiceRequest = { method: 'GET', path: '/access-review', query, repeat: 'harmless' };
    return (await this.json(request, options)) as AccessReview;
  }

  /**
   * Returns what has changed in who has access in a scope between a revision or time and now, by records and by links that
   * have begun or ended. Of a time before history begins, since that beginning.
   */
  async accessChanges(scope: Address, since: string, options?: CallOptions): Promise<AccessChanges> {
    const query = { scope, since };
    const request: ServiceRequest = { method: 'GET', path: '/access-changes', query, repeat: 'harmless' };
    return (await this.json(request, options)) as AccessChanges;
  }

  /** Conditions in words, in the same order; null for one that has none. At most 100. */
  async conditionWords(conditions: readonly string[], options?: CallOptions): Promise<(string | null)[]> {
    const path = '/condition-words';
    const request: ServiceRequest = { method: 'POST', path, body: { conditions }, repeat: 'harmless' };
    return ((await this.json(request, options)) as { words: (string | null)[] }).words;
  }

  /** Records that the signed-in person has reviewed a scope at a revision. */
  async signOff(body: SignOffCommand, options?: CallOptions): Promise<SignOff> {
    const request: ServiceRequest = { method: 'POST', path: '/sign-offs', body, repeat: 'once', writes: true };
    return (await this.json(request, options)) as SignOff;
  }

  /** A page of sign-offs, the latest first; with `scope` only those of it. */
  async signOffs(query: { scope?: Address; limit?: number; cursor?: string }, options?: CallOptions) {
    const request: ServiceRequest = { method: 'GET', path: '/sign-offs', query: { ...query }, repeat: 'harmless' };
    return (await this.json(request, options)) as Page<SignOff>;
  }

  /** Returns the changes in who has access in a scope since it was signed off, until now. */
  async changesSinceSignOff(id: string, options?: CallOptions): Promise<AccessChanges> {
    const path = `/sign-offs/${encodeURIComponent(id)}/changes`;
    const request: ServiceRequest = { method: 'GET', path, route: '/sign-offs/{id}/changes', repeat: 'harmless' };
    return (await this.json(request, options)) as AccessChanges;
  }
}
