import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { nameText } from '@authz-service/core/records/fields';
import { durationMs } from '@authz-service/core/values/duration';
import * as z from 'zod';
import { configFaults, readYamlConfig } from '../../config/yaml-config.js';

const POLL_MS = { min: 1000, max: 3_600_000 };

const line = z
  .string()
  .min(1)
  .regex(/^[^\p{Cc}]*$/u, 'must be one line');
const file = line.meta({ description: 'A path, from the folder of this file.' });

const NO_REF = 'is no name that Git takes, see git-check-ref-format(1)';

/** Whether a name may be that of a branch or tag. */
function isRef(name: string): boolean {
  return !/^[-/.]|\.\.|@\{|\/\/|[ ~^:?*[\\\x7f]|\.lock$|[/.]$/.test(name);
}

const appSchema = z.strictObject({
  id: z.union([z.int(), line]).meta({ description: 'The id of the GitHub App.' }),
  installation: z.int().min(1),
  key: file.meta({ description: "The app's private key, as PEM." }),
});

const accessSchema = z
  .strictObject({
    ssh_key: file.optional().meta({ description: 'A private key for SSH, such as a deploy key.' }),
    known_hosts: file.optional().meta({ description: 'The keys of the hosts that are believed over SSH.' }),
    token: file.optional().meta({ description: 'A file with a token for HTTPS.' }),
    username: line.optional().meta({ description: 'The user name beside the token; "x-access-token" by default.' }),
    app: appSchema.optional().meta({ description: 'Instead of a token: a GitHub App, which gets one every hour.' }),
  })
  .refine(({ token, app }) => token === undefined || app === undefined, 'has a token and an app: keep one of them');

const reportsSchema = z.strictObject({
  to: z.enum(['github', 'gitlab', 'gitea']),
  api: z
    .url({ protocol: /^https?$/ })
    .optional()
    .meta({
      description:
        'The address of the API; by default that of github.com or gitlab.com, or the host of the repository.',
    }),
  project: line
    .regex(/^[^/]+(\/[^/]+)+$/, 'must be like "acme/authz"')
    .optional()
    .meta({ description: 'By default the path of the repository.' }),
  token: file.optional().meta({ description: 'A file with a token for the API; by default that of "access".' }),
  pull_requests: z.boolean().default(true).meta({ description: 'Whether pull requests get the plan as a comment.' }),
});

const stackSchema = z
  .strictObject({
    repository: line
      .refine((url) => !url.startsWith('-'), 'must be a URL or a path')
      .refine((url) => !/^(https?:\/\/[^/]*@|[a-z+]+:\/\/[^/@]*:[^/@]*@)/i.test(url), {
        error: 'must hold no password or token: put it into a file, and name that as access.token',
        params: { unnamed: true },
      })
      .meta({ description: 'As Git takes it: HTTPS, SSH or a path.' }),
    branch: line.refine((name) => isRef(name), NO_REF).optional(),
    tags: line
      .refine((pattern) => isRef(pattern.replace('*', 'x')), NO_REF)
      .optional()
      .meta({ description: 'Instead of a branch: the latest version among the tags of this pattern: `release-*`.' }),
    path: line
      .refine(
        (path) => !path.startsWith('/') && !path.split('/').includes('..'),
        'must be a folder within the repository',
      )
      .default('.')
      .meta({ description: 'The folder of the tree.' }),
    environment: line.optional(),
    poll: line.default('1m').meta({ description: 'How often Git is asked, 1s to 1h.' }),
    removals: z.int().min(0).default(0).meta({ description: 'How many records one commit may remove.' }),
    rewrites: z.enum(['hold', 'follow']).default('hold').meta({
      description: 'The reaction where the applied commit is no longer below the new one, as after a force push.',
    }),
    drift: z.enum(['report', 'revert']).default('report').meta({
      description: 'The reaction to changes that others have made to records of the stack.',
    }),
    tests: z.boolean().default(true).meta({ description: 'Whether the tests beside the records must pass.' }),
    signers: file.optional().meta({
      description:
        'Who may sign commits with SSH keys, in the format of ssh-keygen(1), ALLOWED SIGNERS. Others are held.',
    }),
    access: accessSchema.default({}),
    reports: reportsSchema.optional(),
    webhook_secret: file.optional().meta({ description: 'A file with the secret that webhooks are signed with.' }),
  })
  .refine(({ branch, tags }) => (branch === undefined) !== (tags === undefined), {
    error: 'needs a branch or tags, and not both',
    path: ['branch'],
  });

/** The file of `servicectl sync`: the stacks that a controller applies from Git, by their names. */
export const syncConfigSchema = z.strictObject({
  version: z.literal(1),
  stacks: z.record(nameText, stackSchema).refine((stacks) => Object.keys(stacks).length > 0, 'must name a stack'),
});

/** A stack that a controller applies from Git. Paths of files are absolute. */
export interface StackConfig extends Omit<z.output<typeof stackSchema>, 'poll'> {
  name: string;
  pollMs: number;
}

/** Reads the file of `servicectl sync`. Throws `invalid_config` with every fault at its place. */
export async function readSyncConfig(path: string): Promise<StackConfig[]> {
  const { data, place } = readYamlConfig(path, await readFile(path, 'utf8'), syncConfigSchema);
  const at = (name?: string) => name && resolve(dirname(path), name);
  const faults: { pointer: string; detail: string }[] = [];
  const stacks = Object.entries(data.stacks).map(([name, { poll, access, reports, signers, ...rest }]): StackConfig => {
    const pollMs = durationMs(poll) ?? 0;
    if (pollMs < POLL_MS.min || pollMs > POLL_MS.max)
      faults.push({
        pointer: place(['stacks', name, 'poll']),
        detail: `poll: "${poll}" is not a duration from 1s to 1h: write one like "30s"`,
      });
    const { ssh_key, known_hosts, token, app } = access;
    return {
      ...rest,
      name,
      pollMs,
      ...(signers && { signers: at(signers) }),
      access: {
        ...access,
        ...(ssh_key && { ssh_key: at(ssh_key) }),
        ...(known_hosts && { known_hosts: at(known_hosts) }),
        ...(token && { token: at(token) }),
        ...(app && { app: { ...app, key: at(app.key) ?? '' } }),
      },
      ...(reports && { reports: { ...reports, ...(reports.token && { token: at(reports.token) }) } }),
      ...(rest.webhook_secret && { webhook_secret: at(rest.webhook_secret) }),
    };
  });
  if (faults.length > 0) throw configFaults(path, faults);
  return stacks;
}
