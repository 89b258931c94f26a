import * as z from 'zod';

/** Somebody whom an OpenID provider names: issuer and subject together are one person for ever. */
export const person = z
  .strictObject({
    issuer: z
      .string()
      .max(2048)
      .regex(/^https?:\/\/[^\s#?]+$/, 'must be the URL of the issuer: `https://id.example.com`')
      .meta({ description: 'The issuer of the identity provider, as its tokens name it.' }),
    subject: z
      .string()
      .min(1, 'must not be empty')
      .max(255)
      .meta({ description: 'The `sub` by which the provider knows the person.' }),
  })
  .optional()
  .meta({
    description:
      'Who has the scopes and limits of this client in the console, when signed in with the identity provider. The client then has no secret.',
  });

export type Person = NonNullable<z.output<typeof person>>;

/** A person in one text. */
export function personId({ issuer, subject }: Person): string {
  return `${issuer}#${subject}`;
}
