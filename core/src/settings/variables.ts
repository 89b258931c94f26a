import { nearest } from '../text/nearest.js';

/** The environment variables of all programs of this product: they may share an environment. */
const VARIABLES: readonly string[] = [
  'SERVICE_ADDRESS_LIMITS',
  'SERVICE_ALLOW_ROLLBACK',
  'SERVICE_API_KEY',
  'SERVICE_AUDIT_DAYS',
  'SERVICE_BOOTSTRAP_CLIENT_ID',
  'SERVICE_BOOTSTRAP_CLIENT_SECRET',
  'SERVICE_BOOTSTRAP_CLIENT_SECRET_FILE',
  'SERVICE_BOOTSTRAP_RECOVER',
  'SERVICE_BOOTSTRAP_TENANT',
  'SERVICE_BUNDLE_HEADER',
  'SERVICE_BUNDLE_JWKS',
  'SERVICE_BUNDLE_URL',
  'SERVICE_CACHE_DIR',
  'SERVICE_CLIENT_ID',
  'SERVICE_CLIENT_SECRET',
  'SERVICE_CLOUD_URL',
  'SERVICE_CONSOLE_LINKS',
  'SERVICE_CREDENTIAL_LIMITS',
  'SERVICE_DATA_DIR',
  'SERVICE_DEBUG',
  'SERVICE_DECISION_LOG',
  'SERVICE_DECISION_LOG_INPUTS',
  'SERVICE_DECISION_LOG_MASK',
  'SERVICE_DECISION_LOG_SINKS',
  'SERVICE_DRAIN_TIME',
  'SERVICE_EPOCH_KEY_FILE',
  'SERVICE_HISTORY_DAYS',
  'SERVICE_IDEMPOTENCY_HOURS',
  'SERVICE_LISTEN_ADDR',
  'SERVICE_LOG_LEVEL',
  'SERVICE_MAX_AGE',
  'SERVICE_OIDC_CLIENT_ID',
  'SERVICE_OIDC_CLIENT_SECRET',
  'SERVICE_OIDC_CLIENT_SECRET_FILE',
  'SERVICE_OIDC_GROUPS',
  'SERVICE_OIDC_GROUPS_CLAIM',
  'SERVICE_OIDC_ISSUER',
  'SERVICE_OIDC_SCOPE',
  'SERVICE_OIDC_SUBJECT',
  'SERVICE_OIDC_SUBJECT_TYPE',
  'SERVICE_POLL_INTERVAL',
  'SERVICE_PROFILE',
  'SERVICE_PROVIDER_PLAINTEXT',
  'SERVICE_PUBLIC_URL',
  'SERVICE_REVOCATION_LOG',
  'SERVICE_REVOCATION_LOG_KEY',
  'SERVICE_REVOCATION_LOG_KEY_FILE',
  'SERVICE_TENANT_ID',
  'SERVICE_TENANT_IDLE_MINUTES',
  'SERVICE_TENANT_LIMITS',
  'SERVICE_TENANT_RECORDS_MAX',
  'SERVICE_TENANT_STEPS_PER_SECOND',
  'SERVICE_TREE_CACHE',
  'SERVICE_TRUSTED_PROXIES',
];

/** A variable that no program of the product reads, and the one that was perhaps meant. */
interface UnknownVariable {
  text: string;
  meant?: string;
}

/** Which of these names look like variables of the product and are none, sorted. */
export function unknownVariables(names: Iterable<string>): UnknownVariable[] {
  const unknown = [...names].filter((name) => name.startsWith('SERVICE_') && !VARIABLES.includes(name)).sort();
  return unknown.map((name) => {
    const meant = nearest(name, VARIABLES);
    const text = `The environment variable ${name} means nothing here`;
    return meant === undefined ? { text: `${text}.` } : { text: `${text}: did you mean ${meant}?`, meant };
  });
}
