/** With contexts made of `a` and `b`, these give true, false, an absent attribute and a failure in all mixtures. */
export const CONDITIONS = [
  'true',
  'false',
  'context.a',
  '!context.a',
  'context.a < 2',
  'context.a == 1 || context.b',
  'context.a > 0 && context.b',
  'has(context.a) && context.a == 1',
  'has(context.b) && context.b < 1',
  'resource.properties.n > 1',
  'subject.properties.n == resource.properties.n',
  'resource.name == "1"',
  '[1, 2].exists(i, i == context.a)',
  'context.a in [1, 2, "x"] && context.b != true',
  'context.a >= resource.properties.n',
  'context.a != subject.properties.n',
  'context.b ? context.a > 1 : context.a < 1',
  'context.s.startsWith("x")',
  'context.s.startsWith("xy") || context.s == "x"',
  'has(context.s) && !(context.s in ["x", "y"])',
  'resource.type == "y" && resource.application == "a"',
];

/** About addresses, moments and what the resource lies below. */
export const QUESTIONS = [
  'ip_in(context.ip, "10.0.0.0/8")',
  'ip_in(context.ip, "10.0.0.0/24") || !context.mfa',
  '!ip_in(context.ip, "10.0.0.0/8")',
  'has(context.ip) && ip_in(context.ip, "10.0.0.1")',
  'since(timestamp(1)) >= duration("0s")',
  'since(timestamp(1)) >= duration("1s")',
  'since("1970-01-01T00:00:00.500Z") > duration("0s")',
  'since(timestamp(2)) < duration("-500ms")',
  'since(timestamp(0)) > duration("1s")',
  'resource.ancestor("a/x").properties.n > 1',
  'resource.ancestor("a/x").name == "1"',
  'resource.ancestors("a/x").exists(r, r.name == "1")',
  'resource.ancestors("a/y").size() == 1',
];

/** About the groups and roles of the subject. */
export const ABOUT_PRINCIPALS = [
  'subject.in_group("g") || subject.in_group("g10")',
  'subject.in_group("h") || subject.in_group("g20")',
  '!subject.in_group("f") && !subject.in_group("g30")',
  'subject.has_role("r")',
  'subject.has_role("a/q") && context.a',
  '!subject.has_role("a/r")',
  'subject.has_role("b/q") || !subject.has_role("b/p")',
];

/** About the names of actions and the types and ids of subjects, also such that nothing records. */
export const ABOUT_NAMES = [
  'action.name.startsWith("o")',
  'action.name in ["read", "unheard of"]',
  'resource.name == action.name',
  'subject.id == action.name || context.a',
  '!(action.name > "p")',
  'subject.type == "robot"',
  'subject.type != "user"',
  'subject.type.startsWith("ro")',
  'subject.type.size() == 5 && context.b',
  'subject.type == action.name',
  'subject.type < "s"',
  'subject.id == resource.name || subject.type == resource.name',
];

/** About what requests say of parents, in the properties by which random types name them. */
export const ABOUT_PARENTS = [
  'resource.properties.up == "1"',
  'resource.properties.up != "2"',
  'resource.properties.by == "1"',
  'resource.properties.up == null',
  'resource.properties.up == resource.properties.by',
  'resource.properties["in"] == "1"',
  '!has(resource.properties.up) || context.a',
  'resource.properties.up == resource.properties["in"]',
  'resource.properties.n == 1 || resource.properties.up == "0"',
];
