import { chosenSecretFault } from '@authz-service/core/records/chosen-secret';
import type { Kind } from '@authz-service/core/records/kinds';
import type { Diagnostic } from '../framework/diagnostics.js';
import type { Attributes } from '../framework/schema.js';
import { UNKNOWN, type Value, type Values } from '../framework/value.js';
import type { Granted } from './change-queue.js';

/** The secret of a kind of credential, in Terraform's terms. */
export interface CredentialSecrets {
  attributes: Attributes;
  /** The faults of the secret that the configuration gives. */
  judge(config: Values): Diagnostic[];
  /** The planned values of the attributes. `prior` is null for a new credential. */
  plan(prior: Values | null, config: Values): Values;
  /** The secret to send with the change: the caller's own, if it is to be set. */
  chosen(prior: Values | null, planned: Values, config: Values): string | undefined;
  /** The values after a creation. A secret that was lost on the way is null. */
  made(planned: Values, granted: Granted): Values;
}

const CHOSEN: Attributes = {
  secret_wo: {
    type: 'string',
    description:
      'A secret that you choose, instead of one that the service generates. Write-only: it is stored in no plan and no state.',
    optional: true,
    writeOnly: true,
    sensitive: true,
  },
  secret_wo_version: {
    type: 'number',
    description:
      'Required with `secret_wo`: changing the number sends the secret again, which replaces the former one.',
    optional: true,
  },
};

const made = (description: string, sensitive = false) => ({
  type: 'string' as const,
  description,
  computed: true,
  stable: true,
  ...(sensitive && { sensitive }),
});

const IN_STATE = 'It is stored in the state, unless `secret_wo` is given.';

const API_KEY: CredentialSecrets = secretsOf({
  kind: 'api_key',
  secret: 'secret',
  attributes: { secret: made(`The key that the service generated. ${IN_STATE}`, true) },
});

const OAUTH_CLIENT: CredentialSecrets = secretsOf({
  kind: 'oauth_client',
  secret: 'client_secret',
  attributes: {
    client_id: made('The client id, the same as `id`.'),
    client_secret: made(
      `The client secret that the service generated; null for a client that names a person. ${IN_STATE}`,
      true,
    ),
  },
});

/** Whether it is a client for a person to sign in with, which has no secret. */
export function namesPerson({ person = null }: Values): boolean {
  return person !== null && person !== UNKNOWN;
}

/** How secrets of a kind are handled; undefined for kinds that are not credentials. */
export function credentialSecrets(kind: Kind): CredentialSecrets | undefined {
  if (kind === 'api_key') return API_KEY;
  return kind === 'oauth_client' ? OAUTH_CLIENT : undefined;
}

function secretsOf({
  kind,
  secret,
  attributes,
}: {
  kind: Kind;
  /** The attribute that holds the secret that the service generates. */
  secret: string;
  attributes: Attributes;
}): CredentialSecrets {
  const isGiven = (config: Values) => (config.secret_wo ?? null) !== null;
  const isNewlyChosen = (prior: Values, config: Values) =>
    isGiven(config) && (config.secret_wo_version ?? null) !== (prior.secret_wo_version ?? null);
  const names = Object.keys(attributes);

  return {
    attributes: { ...attributes, ...CHOSEN },

    judge(config) {
      const { secret_wo: chosen = null, secret_wo_version: version = null } = config;
      // The diagnostic has no path, because Terraform would show the line, and with it the secret.
      const fault = (name: string, text: string): Diagnostic[] => [
        { severity: 'error', summary: `Invalid ${name}`, detail: `${name} ${text}.` },
      ];
      if (chosen !== null && namesPerson(config))
        return fault(
          'secret_wo',
          'is given beside `person`: a client that names a person has no secret, so leave it out',
        );
      if (chosen === null && version !== null)
        return fault('secret_wo_version', 'is given without `secret_wo`: give both or neither');
      if (chosen !== null && version === null) {
        return fault(
          'secret_wo',
          'is given without `secret_wo_version`: give that too, such as 1, and raise it to send another secret',
        );
      }
      const wrong = typeof chosen === 'string' ? chosenSecretFault(kind, chosen) : undefined;
      return wrong === undefined ? [] : fault('secret_wo', wrong);
    },

    plan(prior, config) {
      // A value that is not known yet may turn out to be null, which means that no secret was chosen.
      const undecided = [config.secret_wo, config.secret_wo_version].includes(UNKNOWN);
      if (prior === null) {
        const isNone = (isGiven(config) && !undecided) || namesPerson(config);
        return Object.fromEntries(names.map((name) => [name, name === secret && isNone ? null : UNKNOWN]));
      }
      if (undecided) return (prior[secret] ?? null) === null ? {} : { [secret]: UNKNOWN };
      return isNewlyChosen(prior, config) ? { [secret]: null } : {};
    },

    chosen(prior, _planned, config) {
      const { secret_wo: chosen } = config;
      if (typeof chosen !== 'string') return undefined;
      return prior === null || isNewlyChosen(prior, config) ? chosen : undefined;
    },

    made(planned, { id, secret: shown }) {
      const value: Value = shown === undefined ? null : 'secret' in shown ? shown.secret : shown.client_secret;
      return {
        ...(names.includes('client_id') && { client_id: id ?? null }),
        [secret]: planned[secret] === UNKNOWN ? value : (planned[secret] ?? null),
      };
    },
  };
}
