import { append } from '@authz-service/core/collections/append';
import { isLoopbackHost } from '@authz-service/core/values/loopback';
import { Secret } from '@authz-service/core/values/secret';
import { OIDC_REQUIRED, type OidcConfig } from './oidc-config.js';

/** Reads single settings, and takes their faults. */
export interface SettingReader {
  text(name: string): string | undefined;
  choice<Word extends string>(name: string, words: readonly [Word, ...Word[]]): Word;
  secret(name: string): string | undefined;
  /** Whether the variable, or the one that names its file, is set. */
  isGiven(name: string): boolean;
  fault(name: string, detail: string): void;
}

/** The identity provider of people, if its settings are given. */
export function readOidc(reader: SettingReader): { oidc?: OidcConfig } {
  const issuer = issuerOf(reader, 'SERVICE_OIDC_ISSUER');
  const clientId = reader.text('SERVICE_OIDC_CLIENT_ID');
  const clientSecret = reader.secret('SERVICE_OIDC_CLIENT_SECRET');
  const scope = reader.text('SERVICE_OIDC_SCOPE') ?? 'openid profile email';
  const type = reader.text('SERVICE_OIDC_SUBJECT_TYPE') ?? 'user';
  const by = reader.choice('SERVICE_OIDC_SUBJECT', ['sub', 'email']);
  const groupsClaim = reader.text('SERVICE_OIDC_GROUPS_CLAIM') ?? 'groups';
  const groups = groupsOf(reader, 'SERVICE_OIDC_GROUPS');
  if (!scope.split(' ').includes('openid')) reader.fault('SERVICE_OIDC_SCOPE', `is "${scope}": it must name "openid"`);
  const missing = OIDC_REQUIRED.filter((name) => !reader.isGiven(name));
  if (issuer !== undefined && clientId !== undefined && clientSecret !== undefined) {
    const oidc = {
      issuer,
      clientId,
      clientSecret: new Secret(clientSecret),
      scope,
      subject: { type, by },
      groupsClaim,
      groups,
    };
    return { oidc };
  }
  if (missing.length < 3)
    for (const name of missing) reader.fault(name, 'is missing, but other settings of the identity provider are given');
  return {};
}

/** Without TLS anybody on the way could pose as the provider. */
function issuerOf(reader: SettingReader, name: string): string | undefined {
  const value = reader.text(name);
  if (value === undefined) return undefined;
  const url = URL.canParse(value) ? new URL(value) : undefined;
  const plain = url && url.search === '' && url.hash === '' && url.username === '' && url.password === '';
  if (plain && (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopbackHost(url.hostname)))) return value;
  reader.fault(
    name,
    `is "${value}": write the issuer's URL like "https://id.example.com"; only one on this machine may do without https`,
  );
  return undefined;
}

/** `engineers=staff/engineering,admins=console-editors`: a group of the provider may stand for several here. */
function groupsOf(reader: SettingReader, name: string): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const part of reader.text(name)?.split(',') ?? []) {
    const [, theirs, ours] = /^\s*([^=]*[^=\s])\s*=\s*(\S(?:.*\S)?)\s*$/.exec(part) ?? [];
    if (theirs === undefined || ours === undefined)
      reader.fault(name, `holds "${part.trim()}": write groups like "engineers=engineering,admins=console-editors"`);
    else append(groups, theirs, ours);
  }
  return groups;
}
