import type { Lines } from '@authz-service/core/manifest/manifest';
import type { Acceptances } from '@authz-service/core/questions/lint/acceptances';
import type { MutantResult } from '@authz-service/core/questions/policy-tests/mutation/run-mutants';
import type { PreparedTests } from '@authz-service/core/questions/policy-tests/run-tests';
import type { Share } from '@authz-service/core/questions/policy-tests/share';
import type { Style } from '../output/terminal.js';
import { counted, printable } from '../output/text.js';
import type { Assessment, AssessmentFlags } from './assessment.js';
import { belowText, percentText } from './render-coverage.js';

/** Reports all mutants, as data and as text. Those that cannot be told from the original do not count. */
export async function mutationReport(
  prepared: PreparedTests,
  { threshold }: AssessmentFlags,
  isWanted: (lines: Lines) => boolean,
  { now, acceptances, style }: { now: number; acceptances: Acceptances; style: Style },
): Promise<Assessment> {
  const [{ runMutants }, { reaches, shareOf }] = await Promise.all([
    import('@authz-service/core/questions/policy-tests/mutation/run-mutants'),
    import('@authz-service/core/questions/policy-tests/share'),
  ]);
  const results = runMutants(prepared, now, isWanted).map((result) => accepted(result, acceptances));
  const counting = results.filter((result) => result.accepted === undefined && result.status !== 'equivalent');
  const share = shareOf(counting.map(({ status }) => status === 'killed'));
  const reached = threshold === undefined || reaches(share, threshold);
  const text = render(results, share, style);
  return {
    json: { ...share, mutants: results.map(({ lines: _, ...result }) => result) },
    text: reached ? text : `${text}\n${belowText('Mutants killed', share, threshold, style)}`,
    reached,
  };
}

function accepted(result: MutantResult, acceptances: Acceptances): MutantResult {
  if (result.status === 'killed' || result.status === 'equivalent') return result;
  const { file, line, lines } = result;
  const reason = acceptances.reasonFor('mutation', [
    { file, line },
    { file, line: lines.first },
  ]);
  return reason === undefined ? result : { ...result, accepted: reason };
}

/** The survivors, each with the test that would kill it, and the totals. */
function render(results: readonly MutantResult[], share: Share, style: Style): string {
  const shown = new Set<string>();
  const lines = results.flatMap((result) => {
    const { file, line, column, address, detail, status, test } = result;
    if (status === 'killed' || status === 'equivalent' || result.accepted !== undefined) return [];
    const word =
      status === 'survived' ? 'survived:' : 'survived, and no request is known that tells it from the original:';
    const place = style('bold', printable(`${file}:${line}:${column}:`));
    const head = `${place} ${style('yellow', word)} ${printable(`${address} ${detail}`)}`;
    if (test === undefined) return [head];
    const name = test.split('\n')[0]?.replace('  - name: ', '') ?? '';
    if (shown.has(test)) return [`${head}\n  killed by the test proposed above: ${printable(name)}`];
    shown.add(test);
    return [`${head}\n${test.split('\n').map(printable).join('\n')}`];
  });
  const of = (status: MutantResult['status']) =>
    results.filter((result) => result.status === status && result.accepted === undefined).length;
  const also = [
    ...(of('survived') > 0 ? [`${of('survived')} survived`] : []),
    ...(of('no_difference') > 0 ? [`${of('no_difference')} without a known difference`] : []),
    ...(of('equivalent') > 0 ? [`${of('equivalent')} equivalent (proven to change no access, not counted)`] : []),
    ...(results.some((result) => result.accepted !== undefined)
      ? [`${results.filter((result) => result.accepted !== undefined).length} accepted`]
      : []),
  ];
  const rest = also.length === 0 ? '' : `; ${also.join(', ')}`;
  const total = `${share.covered} of ${counted(share.total, 'mutant')}`;
  return [...lines, `Killed ${total} (${percentText(share)})${rest}`].join('\n');
}
