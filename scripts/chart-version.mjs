/** Gives the Helm chart the version of the packages: `npm run release:version` calls it after it has raised theirs. */
import { readFileSync, writeFileSync } from 'node:fs';

const chart = new URL('../deploy/chart/Chart.yaml', import.meta.url);
const { version } = JSON.parse(readFileSync(new URL('../cli/package.json', import.meta.url), 'utf8'));
writeFileSync(chart, readFileSync(chart, 'utf8').replace(/^(version|appVersion): .*$/gm, `$1: ${version}`));
