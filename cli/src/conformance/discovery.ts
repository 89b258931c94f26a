import type { Check } from './check.js';
import { expectObject, fail, isObject, shown } from './expectations.js';

const REQUIRED = ['policy_decision_point', 'access_evaluation_endpoint'];
const OPTIONAL = [
  'access_evaluations_endpoint',
  'search_subject_endpoint',
  'search_resource_endpoint',
  'search_action_endpoint',
];

/** The standard requires https; a decision point on this machine may do without. */
function expectUrl(name: string, value: unknown): void {
  const url = typeof value === 'string' && URL.canParse(value) ? new URL(value) : undefined;
  const local = url?.protocol === 'http:' && /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname);
  if (url === undefined || (url.protocol !== 'https:' && !local))
    fail(`expected "${name}" to be an https URL, got ${shown(value ?? 'nothing')}`);
}

export const discoveryChecks: Check[] = [
  {
    level: 'discovery',
    section: '6.2',
    name: 'the metadata is there, as JSON',
    run: async (point) => void expectObject(await point.metadata()),
  },
  {
    level: 'discovery',
    section: '6.3',
    name: 'it names the decision point by the address it was asked under',
    run: async (point) => {
      const { policy_decision_point: named } = expectObject(await point.metadata());
      if (named !== point.base)
        fail(`expected "policy_decision_point" to be ${point.base}, got ${shown(named ?? 'nothing')}`);
    },
  },
  {
    level: 'discovery',
    section: '6.5',
    name: 'what it names are URLs',
    run: async (point) => {
      const metadata = expectObject(await point.metadata());
      for (const name of REQUIRED) expectUrl(name, metadata[name]);
      for (const name of OPTIONAL) if (metadata[name] !== undefined) expectUrl(name, metadata[name]);
    },
  },
  {
    level: 'discovery',
    section: '6.5',
    name: 'capabilities, if any, are a list of texts',
    run: async (point) => {
      const { capabilities } = expectObject(await point.metadata());
      const fine =
        capabilities === undefined ||
        (Array.isArray(capabilities) && capabilities.every((one) => typeof one === 'string'));
      if (!fine) fail(`expected "capabilities" to be a list of texts, got ${shown(capabilities)}`);
    },
  },
  {
    level: 'discovery',
    section: '6.5',
    name: 'signed metadata, if any, is signed and names its issuer',
    run: async (point) => {
      const { signed_metadata: signed } = expectObject(await point.metadata());
      if (signed === undefined) return;
      const [header, payload, signature] = typeof signed === 'string' ? signed.split('.') : [];
      const { alg } = membersOf(header);
      const { iss } = membersOf(payload);
      if (typeof alg !== 'string' || alg === 'none' || !signature || typeof iss !== 'string')
        fail(`expected "signed_metadata" to be a signed JWT with "iss", got ${shown(signed)}`);
    },
  },
];

/** The members of a part of a JWT; none if it is not a JSON object. */
function membersOf(part = ''): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}
