import { TerraformStack, TerraformVariable, Testing } from 'cdktf';
import { describe, expect, it } from 'vitest';
import { ServiceProvider } from '../constructs/provider.js';
import { Application } from './application.js';
import { Group } from './group.js';
import { Policy } from './policy.js';
import { ResourceType } from './resource-type.js';
import { Role } from './role.js';
import { Subject } from './subject.js';
import { Tree } from './tree.js';

type Declare = (stack: TerraformStack, later: string) => unknown;

function resources(declare: Declare): Record<string, Record<string, Record<string, unknown>>> {
  const stack = new TerraformStack(Testing.app(), 'stack');
  declare(stack, new TerraformVariable(stack, 'later', { type: 'string' }).stringValue);
  return JSON.parse(Testing.synth(stack)).resource;
}

const only = (declared: Record<string, Record<string, unknown>> | undefined) => Object.values(declared ?? {})[0];
const docs = (stack: TerraformStack, id = 'app') =>
  new Application(stack, id).resourceType('doc', { actions: ['read', 'write'] });

describe('stored attributes', () => {
  it('are JSON, which Terraform writes where a value is known only later', () => {
    const text = (properties: Record<string, unknown>) =>
      only(resources((stack) => new Subject(stack, 's', { properties })).service_subject)?.properties;
    expect(text({ limit: 5, tags: ['"a"'] })).toBe('{"limit":5,"tags":["\\"a\\""]}');
    const open = resources((stack, later) => new Subject(stack, 's', { properties: { deep: [{ dept: later }] } }));
    expect(only(open.service_subject)?.properties).toBe(
      // biome-ignore lint/suspicious/noTemplateCurlyInString: Terraform's own.
      '${jsonencode({"deep" = [{"dept" = var.later}]})}',
    );
  });
});

describe('what is refused where it is written', () => {
  it.each<[string, Declare, string]>([
    [
      'a policy over a type and single resources',
      (stack) => {
        const type = docs(stack);
        const covered = { resourceType: type, actions: ['read'], resources: [] };
        new Policy(stack, 'p', covered as never);
      },
      'declare two policies for both',
    ],
    [
      'a grant with resources of its own',
      (stack) => new Role(stack, 'r').grant(docs(stack), ['read'], { resources: [] } as never),
      'declare two policies for both',
    ],
    [
      'two grants of one name',
      (stack) => new Role(stack, 'r').grant(docs(stack), ['read']) && docsTwice(stack),
      'has a grant of the name "r-read-doc" already: give this one another',
    ],
    ['an id that is known only later', (stack, later) => new Subject(stack, later), 'give it a fixed id'],
    [
      'a grant whose name is known only later',
      (stack, later) => new Role(stack, 'r', { name: later }).grant(docs(stack), ['read']),
      'give it a fixed id',
    ],
    [
      'an application by its name',
      (stack) => new Role(stack, 'r', { application: 'billing' as never }),
      '"application" is "billing": give the construct',
    ],
    [
      'a type without an application',
      (stack) => new ResourceType(stack, 't', { actions: ['read'] } as never),
      '"application" is undefined',
    ],
    [
      'an entity by its path',
      (stack) => new Role(stack, 'r').assignTo('user/alice' as never),
      '"entity" is "user/alice"',
    ],
    [
      'a member twice',
      (stack) => {
        const alice = new Subject(stack, 'alice');
        new Group(stack, 'g', { members: [alice, alice] });
      },
      'stack/g: the subject stack/alice is in it already',
    ],
    [
      'a holder twice',
      (stack) => {
        const alice = new Subject(stack, 'alice');
        new Role(stack, 'r').assignTo(alice).assignTo(alice);
      },
      'stack/r: it is assigned to the subject stack/alice already',
    ],
  ])('%s', (_, declare, expected) => {
    expect(() => resources(declare)).toThrow(expected);
  });

  function docsTwice(stack: TerraformStack): Policy {
    const role = stack.node.findChild('r') as Role;
    return role.grant(docs(stack, 'other'), ['read']);
  }
});

it('a tree that names its tenant needs a provider that does', () => {
  const faults = (tenant: string | undefined) => {
    const stack = new TerraformStack(Testing.app(), 'stack');
    new ServiceProvider(stack, 'service', { ...(tenant !== undefined && { tenant }) });
    const tree = new Tree(stack, 'tree', { files: [{ path: 'a.yaml', text: 'version: 1\ntenant: acme\n' }] });
    return tree.node.validate();
  };
  expect(faults('acme')).toEqual([]);
  for (const tenant of [undefined, 'other'])
    expect(faults(tenant)).toEqual([expect.stringContaining('give the provider stack/service tenant: "acme"')]);
});
