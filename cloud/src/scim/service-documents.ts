import { ENTERPRISE, GROUP, USER } from './attribute-path.js';

const MESSAGES = 'urn:ietf:params:scim:schemas:core:2.0';

/** RFC 7643 section 5. */
export const SERVICE_PROVIDER = {
  schemas: [`${MESSAGES}:ServiceProviderConfig`],
  patch: { supported: true },
  bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
  filter: { supported: true, maxResults: 1000 },
  changePassword: { supported: false },
  sort: { supported: true },
  etag: { supported: true },
  authenticationSchemes: [
    {
      type: 'oauthbearertoken',
      name: 'Bearer token',
      description: 'An API key with the scope "directory".',
      primary: true,
    },
  ],
};

const resourceType = (id: string, endpoint: string, schema: string, extensions: string[] = []) => ({
  schemas: [`${MESSAGES}:ResourceType`],
  id,
  name: id,
  endpoint,
  schema,
  schemaExtensions: extensions.map((extension) => ({ schema: extension, required: false })),
});

export const RESOURCE_TYPES = [
  resourceType('User', '/Users', USER, [ENTERPRISE]),
  resourceType('Group', '/Groups', GROUP),
];

interface AttributeMore {
  type?: string;
  multiValued?: boolean;
  required?: boolean;
  caseExact?: boolean;
  mutability?: string;
  uniqueness?: string;
  subAttributes?: object[];
}

const attribute = (
  name: string,
  description: string,
  more: AttributeMore = {},
): AttributeMore & { name: string; description: string; returned: string } => ({
  name,
  description,
  type: 'string',
  multiValued: false,
  required: false,
  caseExact: false,
  mutability: 'readWrite',
  returned: 'default',
  uniqueness: 'none',
  ...more,
});

const schema = (id: string, name: string, description: string, attributes: object[]) => ({
  schemas: [`${MESSAGES}:Schema`],
  id,
  name,
  description,
  attributes,
});

/** The attributes that are kept whatever the directory's mapping; it may keep more. */
export const SCHEMAS = [
  schema(USER, 'User', 'A person.', [
    attribute('userName', 'The name, unique in the directory.', { required: true, uniqueness: 'server' }),
    attribute('displayName', 'A name for people.'),
    attribute('active', 'Whether the person may do anything.', { type: 'boolean' }),
    attribute('name', 'The parts of the name, of which a display name is made.', {
      type: 'complex',
      subAttributes: ['formatted', 'givenName', 'familyName'].map((part) => attribute(part, 'A part of the name.')),
    }),
  ]),
  schema(GROUP, 'Group', 'A group.', [
    attribute('displayName', 'The name, unique in the directory.', { required: true, uniqueness: 'server' }),
    attribute('members', 'Its users and groups.', {
      type: 'complex',
      multiValued: true,
      subAttributes: [
        attribute('value', 'The id of the member.', { caseExact: true, mutability: 'immutable' }),
        attribute('type', 'User or Group.', { mutability: 'immutable' }),
      ],
    }),
  ]),
  schema(
    ENTERPRISE,
    'EnterpriseUser',
    'What an organization knows of a person.',
    ['employeeNumber', 'costCenter', 'organization', 'division', 'department', 'manager'].map((name) =>
      attribute(name, 'Kept where the directory maps it.'),
    ),
  ),
];
