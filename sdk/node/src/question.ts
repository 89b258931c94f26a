/** A value that a caller may give where JSON is sent. A member that is undefined is left out. */
export type SentJson = string | number | boolean | null | undefined | readonly SentJson[] | SentObject;
export interface SentObject {
  readonly [name: string]: SentJson;
}

/** Attributes for conditions, over the stored ones key by key; `attributes` is another name for `properties`. */
interface Attributed {
  properties?: SentObject | undefined;
  attributes?: SentObject | undefined;
}

export interface SubjectType extends Attributed {
  type: string;
  /** Roles in addition to the recorded ones: `role` or `application/role`. */
  roles?: readonly string[] | undefined;
}

export interface Subject extends SubjectType {
  /** The caller's own identifier of the subject. */
  id: string;
}

export interface ResourceType extends Attributed {
  /** `type` while the name is unique, or `application/type`. */
  type: string;
}

/** AuthZEN decision points know resources by `id`; ours also by `name`, which wins. */
export type Resource = ResourceType & { id?: string | undefined; name?: string | undefined } & (
    | { id: string }
    | { name: string }
  );

export interface Action {
  name: string;
  properties?: SentObject | undefined;
}

export interface QuestionOptions {
  /** Asks for `explanation`: every policy that came into question. */
  explain?: boolean | undefined;
}

/** Who wants to do what to which resource (AuthZEN 1.0 section 6.1). */
export interface DecisionQuestion {
  subject: Subject;
  action: Action;
  resource: Resource;
  /** Facts about the request that conditions read: `ip`, `time`, `mfa`, and any other key. */
  context?: SentObject | undefined;
  options?: QuestionOptions | undefined;
}

/** How far a batch goes: through all, or up to the first denial (a failure is one), or permit. */
export type EvaluationsSemantic = 'execute_all' | 'deny_on_first_deny' | 'permit_on_first_permit';

/** Several questions. One that lacks a member takes that of the batch as a whole. */
export interface EvaluationsQuestion extends Partial<Omit<DecisionQuestion, 'options'>> {
  evaluations: readonly Partial<DecisionQuestion>[];
  options?: (QuestionOptions & { evaluations_semantic?: EvaluationsSemantic; reasons?: boolean }) | undefined;
}

/** Which subjects of a type? Properties and roles count as if each subject had them. */
export interface SubjectQuestion extends Pick<DecisionQuestion, 'action' | 'resource' | 'context'> {
  subject: SubjectType;
}

/** On which resources of a type? Properties count as if each resource had them. */
export interface ResourceQuestion extends Pick<DecisionQuestion, 'subject' | 'action' | 'context'> {
  resource: ResourceType;
}

/** Which actions? */
export type ActionQuestion = Pick<DecisionQuestion, 'subject' | 'resource' | 'context'>;

export interface FoundEntity {
  type: string;
  id: string;
}

export interface FoundAction {
  name: string;
}
