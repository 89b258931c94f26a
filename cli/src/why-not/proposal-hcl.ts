import type { DeclaredRecord } from '@authz-service/core/records/registry';
import type { Proposal } from '@authz-service/core/why-not/proposal';
import { writeHcl } from '@authz-service/provider/terraform/notation/write-hcl';

/** A proposal as Terraform configuration: blocks to add, blocks as they are to be, and as comments blocks to remove. */
export function proposalHcl({ changes }: Proposal): string {
  const texts = changes.flatMap(({ before, after }) => {
    if (after === undefined) {
      if (before === undefined) return [];
      const block = blockOf(before).replace(/^/gm, '# ').replace(/ +$/gm, '');
      return [`# Remove the block of ${before.address}, by whatever name you have it. It says:\n${block}`];
    }
    if (before === undefined) return [`# Add ${after.address}:\n${blockOf(after)}`];
    return [`# Change the block of ${after.address}, by whatever name you have it, to say:\n${blockOf(after)}`];
  });
  return texts.join('\n\n');
}

function blockOf(record: DeclaredRecord): string {
  const files = writeHcl([record], { stack: '' });
  return (files.find(({ path }) => path !== 'provider.tf' && path !== 'imports.tf')?.text ?? '').trimEnd();
}
