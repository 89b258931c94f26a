import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const units = fileURLToPath(new URL('../../../deploy/systemd', import.meta.url));
const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0;
if (!hasSystemd) console.warn('NOT TESTED: the units for systemd, for want of systemd-analyze');

/** The greatest exposure that is accepted, of 100. */
const EXPOSURE_MAX = '15';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'service-systemd-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.skipIf(!hasSystemd)('the units for systemd', () => {
  it.each(['service-agent.service', 'service-cloud.service', 'service-sync.service'])(
    '%s is what systemd knows, and exposes little',
    (name) => {
      // The programs are not installed here.
      const text = readFileSync(join(units, name), 'utf8').replace(/^ExecStart=\S+/m, 'ExecStart=/bin/true');
      const unit = join(folder, name);
      const analyzed = (content: string, ...args: string[]) => {
        writeFileSync(unit, content);
        const { status, stdout, stderr } = spawnSync('systemd-analyze', [...args, unit], { encoding: 'utf8' });
        return { status, text: `${stdout}${stderr}` };
      };
      expect(analyzed(text, 'verify')).toEqual({ status: 0, text: '' });
      expect(analyzed(text.replace('ProtectHome', 'ProtectHouse'), 'verify').text).toContain('ProtectHouse');
      const security = ['security', '--offline=true', `--threshold=${EXPOSURE_MAX}`, '--no-pager'];
      expect(analyzed(text, ...security).status).toBe(0);
      expect(analyzed(text.replace(/^CapabilityBoundingSet=$/m, ''), ...security).status).not.toBe(0);
    },
  );
});
