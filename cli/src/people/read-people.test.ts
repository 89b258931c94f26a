import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { dnKey } from './read-ldif.js';
import { readPeople } from './read-people.js';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'people-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const base64 = (text: string) => Buffer.from(text).toString('base64');
const file = (name: string, ...lines: string[]) => {
  const path = join(folder, name);
  writeFileSync(path, lines.join('\n'));
  return path;
};
const ANN = ['dn: uid=ann,ou=people,dc=example,dc=com', 'objectClass: inetOrgPerson', 'uid: ann', 'cn: Ann'];

it('reads people and groups of LDIF, and no passwords', async () => {
  const path = file(
    'all.ldif',
    ...['version: 1', '', '# The people', '#  of Example', ...ANN],
    ...['displayName: Ann Arbor', 'sn: Arbor', 'mail: ann@example.com', 'departmentNumber: sal', ' es'],
    ...['userPassword:: e1NTSEF9eA==', 'jpegPhoto:: /9j/4A==', 'cn;lang-de: Anne', 'entryUUID: 1-2', ''],
    ...[`dn:: ${base64('cn=Jörg\\, Dr.,dc=example,dc=com')}`, 'objectclass: PERSON', 'objectClass: top', 'uid: jörg\r'],
    ...[`cn:: ${base64(' Jörg')}`, 'pwdAccountLockedTime: 000001010000Z', ''],
    ...['dn: cn=printer,dc=example,dc=com', 'objectClass: device', 'cn: printer', ''],
    ...['dn: cn=Sales,dc=example,dc=com', 'objectClass: groupOfNames', 'cn: Sales'],
    ...['member: UID=Ann, OU=people,DC=example,dc=com', `member:: ${base64('cn=Jörg\\2C Dr.,dc=example,dc=com')}`],
    ...['member: cn=admin,dc=example,dc=com', ''],
    ...[
      'dn: cn=unix,dc=example,dc=com',
      'objectClass: posixGroup',
      'cn: unix',
      'memberUid: ann',
      'memberUid: gone',
      '',
    ],
    ...['dn: cn=none,dc=example,dc=com', 'objectClass: posixGroup', 'cn: none', ''],
  );
  const { people, memberships, others } = await readPeople(path, path);
  expect(people.map(({ values }) => values)).toEqual([
    {
      ...{ userName: 'ann', externalId: '1-2', displayName: 'Ann Arbor', 'name.familyName': 'Arbor' },
      ...{ 'emails[type eq "work"].value': 'ann@example.com', department: 'sales' },
    },
    { userName: 'jörg', displayName: ' Jörg', active: false },
  ]);
  expect(people[1]?.place).toBe(`${path}:19`);
  expect(memberships?.map(({ values }) => values)).toEqual([
    { group: 'Sales', member: '' },
    { group: 'Sales', member: 'ann' },
    { group: 'Sales', member: 'jörg' },
    { group: 'unix', member: '' },
    { group: 'unix', member: 'ann' },
    { group: 'none', member: '' },
  ]);
  expect(others).toEqual(['"cn=admin,dc=example,dc=com" in Sales', '"gone" in unix']);
});

it.each([
  ['a list of changes', [...ANN, 'changetype: delete', ''], ':5 has a "changetype", so that it is a list of changes'],
  ['an entry without a name', ['uid: ann', ''], ':1 begins an entry without a "dn"'],
  ['two entries in one', [...ANN, ...ANN, ''], ':5 has a second "dn"'],
  ['a line without a colon', [...ANN, 'cut', ''], ':5 is no line of LDIF'],
  ['a fold of nothing', ['', ' fold', ''], ':2 is no line of LDIF'],
  ['a value elsewhere', [...ANN, 'sn:< file:///etc/passwd', ''], ':5 takes a value from a URL'],
  ['a value that is no base64', [...ANN, 'sn:: a', ''], ':5 has a value that is no base64'],
  ['an end within a line', [...ANN, 'sn: Arb'], ' ends within a line'],
  ['a person without a name', ['dn: cn=x', 'objectClass: person', ''], ':1 is a person with no "uid"'],
  ['a person of two names', [...ANN, 'uid: anna', ''], ':1 is a person with several "uid"'],
  ['a name that is not UTF-8', ['dn: cn=x', 'objectClass: person', 'uid:: /w==', ''], ':1 is a person with no "uid"'],
  ['no people', ['dn: cn=x', 'objectClass: device', ''], ' has no rows'],
])('refuses %s', async (_, lines, message) => {
  const path = file('bad.ldif', ...lines);
  await expect(readPeople(path)).rejects.toThrow(`${path}${message}`);
});

it('takes groups of LDIF only beside people of LDIF', async () => {
  const groups = file('groups.ldif', 'dn: cn=x', 'objectClass: posixGroup', 'cn: x', 'memberUid: ann', '');
  const people = file('people.csv', 'userName', 'ann', '');
  await expect(readPeople(people, groups)).rejects.toThrow('names people as LDAP does');
  expect(
    (await readPeople(file('ann.ldif', ...ANN, ''), file('members.csv', 'group,member', 'x,ann', ''))).others,
  ).toEqual([]);
});

it.each([
  ['cn=a\\2cb,dc=x', 'CN=A\\,b, DC=x'],
  ['cn=j\\c3\\b6rg', 'cn=Jörg'],
  ['cn = a + sn = b,dc=x', 'cn=a+sn=b,dc=x'],
])('knows %s as %s', (one, other) => expect(dnKey(one)).toBe(dnKey(other)));

it.each([
  ['cn=a\\,dc=x', 'cn=a,dc=x'],
  ['cn=a\\+sn=b', 'cn=a+sn=b'],
])('tells %s from %s', (one, other) => expect(dnKey(one)).not.toBe(dnKey(other)));
