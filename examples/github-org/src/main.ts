/**
 * Converts GitHub organizations declared as YAML (the layout of github.com/kubernetes/org) to a tenant tree.
 *   npm run -s example:github-org -- IN_DIR OUT_DIR
 */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { InputError, readOrganizations } from './organization.js';
import { tenantTree } from './tenant.js';

function main(args: string[]): number {
  const [input, output] = args;
  if (input === undefined || output === undefined || args.length > 2) {
    process.stderr.write('Usage: npm run -s example:github-org -- IN_DIR OUT_DIR\n');
    return 1;
  }
  try {
    const organizations = readOrganizations(input);
    const files = tenantTree(organizations);
    mkdirSync(output, { recursive: true });
    const strangers = readdirSync(output).filter((name) => !files.some((file) => file.path === name));
    if (strangers.length > 0) {
      throw new InputError(`${output}: holds "${strangers[0]}", which is not ours: name an empty folder`);
    }
    for (const file of files)
      writeFileSync(join(output, file.path), stringify(file.content, { lineWidth: 0, aliasDuplicateObjects: false }));
    const count = (size: (organization: (typeof organizations)[number]) => number): number =>
      organizations.reduce((sum, organization) => sum + size(organization), 0);
    process.stderr.write(
      `${organizations.length} organizations, ${count((each) => each.teams.size)} teams, ` +
        `${count((each) => each.repositories.size)} repositories → ${files.length} files in ${output}\n`,
    );
    return 0;
  } catch (error) {
    if (!(error instanceof InputError) && (error as NodeJS.ErrnoException).code === undefined) throw error;
    process.stderr.write(`${(error as Error).message}\n`);
    return 1;
  }
}

process.exitCode = main(process.argv.slice(2));
