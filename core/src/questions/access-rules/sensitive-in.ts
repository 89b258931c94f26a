import type { DecisionRequest } from '../../request.js';
import type { AccessSide } from './access-side.js';
import { recordAt } from './access-view.js';

/** The paths of the attributes of a request that the schemas of one of these states call sensitive. */
export function sensitiveIn(
  { subject, resource, context = {} }: DecisionRequest,
  sides: readonly Pick<AccessSide, 'view'>[],
): string[] {
  return sides.flatMap(({ view }) => [
    ...namesAt('subject.properties', recordAt(view, 'subject_type', subject.type)?.fields.sensitive),
    ...namesAt('resource.properties', recordAt(view, 'resource_type', resource.type)?.fields.sensitive),
    ...namesAt(
      'context',
      Object.keys(context).filter((name) => recordAt(view, 'context_attribute', name)?.fields.sensitive),
    ),
  ]);
}

function namesAt(root: string, names: readonly string[] = []): string[] {
  return names.map((name) => `${root}.${name}`);
}
