import { clientAt } from '../../api/client.js';
import { pathOf } from '../../ui/record-link.js';
import type { QuestionFields } from './question.js';

/** The path and the actions of the type of resources, which may be given by its name alone. */
export async function typeNamed({ resource, action, at }: QuestionFields, signal: AbortSignal) {
  const types = clientAt(at).records('resource_type');
  const { items } = resource.includes('/') ? { items: [] } : await types.page({ name: resource }, { limit: 2, signal });
  const [named, other] = items;
  // Of several, the service says that the name is ambiguous.
  if (named !== undefined)
    return { path: other === undefined ? pathOf(named.address) : resource, actions: named.actions };
  return { path: resource, actions: action === '' ? (await types.get(resource, { signal })).actions : [] };
}
