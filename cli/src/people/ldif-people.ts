import { UsageError } from '../errors/usage-error.js';
import { dnKey, type LdifEntry } from './read-ldif.js';
import type { Row } from './read-people.js';

const PEOPLE = ['person', 'organizationalperson', 'inetorgperson', 'account', 'posixaccount'];
const GROUPS = ['groupofnames', 'groupofuniquenames', 'groupofmembers', 'posixgroup'];

/** The attributes of LDAP that are read, and the SCIM attributes that they are; of several for one, the first that has a value. */
const ATTRIBUTES: readonly [ldap: string, scim: string][] = [
  ['uid', 'userName'],
  ['entryuuid', 'externalId'],
  ['displayname', 'displayName'],
  ['cn', 'displayName'],
  ['givenname', 'name.givenName'],
  ['sn', 'name.familyName'],
  ['mail', 'emails[type eq "work"].value'],
  ['telephonenumber', 'phoneNumbers[type eq "work"].value'],
  ['mobile', 'phoneNumbers[type eq "mobile"].value'],
  ['title', 'title'],
  ['employeetype', 'userType'],
  ['preferredlanguage', 'preferredLanguage'],
  ['l', 'addresses[type eq "work"].locality'],
  ['employeenumber', 'employeeNumber'],
  ['departmentnumber', 'department'],
  ['ou', 'department'],
  ['o', 'organization'],
];
/** The time of a lock that has no end, by the password policy of OpenLDAP. */
const LOCKED = '000001010000Z';

/** The people among entries, as rows of SCIM attributes; passwords and other attributes are not read. */
export function peopleOfLdif(entries: readonly LdifEntry[]): Row[] {
  return entries.filter((entry) => isOne(entry, PEOPLE)).map(personOf);
}

/** Rows of `group` and `member`, and the members that are no people of these entries. */
export function membershipsOfLdif(
  entries: readonly LdifEntry[],
  people: readonly LdifEntry[],
): { rows: Row[]; others: string[] } {
  const userNames = new Map<string, string>();
  const known = new Set<string>();
  for (const entry of people.filter((one) => isOne(one, PEOPLE))) {
    const userName = userNameOf(entry);
    userNames.set(dnKey(entry.dn), userName);
    known.add(userName.toLowerCase());
  }
  const rows: Row[] = [];
  const others: string[] = [];
  for (const entry of entries.filter((one) => isOne(one, GROUPS))) {
    const { place, values } = entry;
    const group = values.get('cn')?.[0];
    if (group === undefined) throw new UsageError(`${place} is a group without a "cn": give a complete export.`);
    // A group without members is one, too.
    rows.push({ values: { group, member: '' }, place });
    for (const dn of [...(values.get('member') ?? []), ...(values.get('uniquemember') ?? [])]) {
      const member = userNames.get(dnKey(dn));
      if (member === undefined) others.push(`"${dn}" in ${group}`);
      else rows.push({ values: { group, member }, place });
    }
    for (const member of values.get('memberuid') ?? []) {
      if (known.has(member.toLowerCase())) rows.push({ values: { group, member }, place });
      else others.push(`"${member}" in ${group}`);
    }
  }
  return { rows, others };
}

function isOne({ values }: LdifEntry, classes: readonly string[]): boolean {
  return (values.get('objectclass') ?? []).some((name) => classes.includes(name.toLowerCase()));
}

function personOf(entry: LdifEntry): Row {
  const values: Record<string, string | boolean> = { userName: userNameOf(entry) };
  for (const [ldap, scim] of ATTRIBUTES) {
    const [value = ''] = entry.values.get(ldap) ?? [];
    if (value !== '') values[scim] ??= value;
  }
  if (entry.values.get('pwdaccountlockedtime')?.includes(LOCKED)) values.active = false;
  return { values, place: entry.place };
}

function userNameOf({ values, place }: LdifEntry): string {
  const [uid = '', ...others] = values.get('uid') ?? [];
  if (uid === '' || others.length > 0)
    throw new UsageError(`${place} is a person with ${others.length === 0 ? 'no' : 'several'} "uid": give each one.`);
  return uid;
}
