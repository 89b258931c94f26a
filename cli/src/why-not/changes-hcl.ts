import type { WrittenChange } from '@authz-service/core/patch/draft-yaml';
import { hclBlocks } from '@authz-service/provider/terraform/notation/write-hcl';

/**
 * Changes as Terraform configuration: blocks to add, blocks as they are to be, and as comments blocks to remove. What is
 * added is referred to by its block; the names of other blocks are not known.
 */
export function changesHcl(changes: readonly WrittenChange[]): string {
  const records = changes.flatMap(({ before, after }) => after ?? before ?? []);
  const added = changes.flatMap(({ before, after }) => (before === undefined && after ? [after.address] : []));
  const blocks = hclBlocks(records, new Set(added));
  const texts = changes.flatMap(({ before, after, from }) => {
    const { address } = after ?? before ?? {};
    const block = address === undefined ? undefined : blocks.get(address)?.trimEnd();
    if (block === undefined) return [];
    if (after === undefined) {
      const removed = block.replace(/^/gm, '# ').replace(/ +$/gm, '');
      return [`# Remove the block of ${address}, by whatever name you have it. It says:\n${removed}`];
    }
    if (before === undefined) return [`# Add ${address}:\n${block}`];
    if (from !== undefined)
      return [`# Rename ${from} by changing its block, by whatever name you have it, to say:\n${block}`];
    return [`# Change the block of ${address}, by whatever name you have it, to say:\n${block}`];
  });
  return texts.join('\n\n');
}
