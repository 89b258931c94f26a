import { describe, expect, it } from 'vitest';
import { conditionWords } from './condition-words.js';
import { plain } from './render-access-text.js';

describe('conditionWords', () => {
  it.each([
    ['context.mfa', 'with a second factor'],
    ['context.mfa == true', 'with a second factor'],
    ['!context.mfa', 'without a second factor'],
    ['ip_in(context.ip, "10.0.0.0/8")', 'from the network 10.0.0.0/8'],
    [
      '["10.0.0.0/8", "192.168.0.0/16"].exists(range, ip_in(context.ip, range))',
      'from the networks 10.0.0.0/8 or 192.168.0.0/16',
    ],
    ['!ip_in(context.ip, "10.0.0.0/8")', 'not from the network 10.0.0.0/8'],
    [
      'time_windows("mon,fri 08:00-18:00 Europe/Berlin", "10:00-12:00 UTC")',
      'on Monday and Friday between 08:00 and 18:00 (Europe/Berlin) or between 10:00 and 12:00 (UTC)',
    ],
    ['time_windows("mon,tue,wed,thu,fri 08:00-18:00 UTC")', 'on Monday to Friday between 08:00 and 18:00 (UTC)'],
    ['time_windows("mon,tue,thu 08:00-18:00 UTC")', 'on Monday, Tuesday and Thursday between 08:00 and 18:00 (UTC)'],
    ['resource.properties.owner == subject.id', 'if it is their own'],
    ['subject.id == resource.properties.owner', 'if it is their own'],
    ['resource.properties.owner != subject.id', 'if it is not their own'],
    ['subject.id in resource.properties.readers', 'if they are among its readers'],
    ['resource.properties.amount < 10000', 'if its amount is below 10,000'],
    ['10000 >= resource.properties.amount', 'if its amount is at most 10,000'],
    ['context.amount > -2.5', "if the request's amount is above -2.5"],
    ['resource.properties.status == "open"', 'if its status is "open"'],
    ['resource.properties.status in ["open", "new"]', 'if its status is "open" or "new"'],
    ['subject.properties.team == resource.properties.team', 'if their team is its team'],
    ['has(context.device)', "if the request's device is given"],
    ['!has(context.device)', "if the request's device is not given"],
    ['subject.in_group("hr")', 'if they are in group/hr'],
    ['!subject.has_role("crm/lead")', 'if they do not hold role/crm/lead'],
    ['context.mfa || ip_in(context.ip, "10.0.0.0/8")', 'with a second factor or from the network 10.0.0.0/8'],
    [
      'resource.properties.amount < 5 && context.mfa && (context.a || f(1)) && subject.properties.level > 3',
      'with a second factor and if its amount is below 5, their level is above 3 and (context.a || f(1))',
    ],
    [
      '(!has(resource.properties.status) || resource.properties.status != "closed") && resource.properties.amount < 5',
      'if its amount is below 5 and either its status is not given or its status is not "closed"',
    ],
    [
      '(context.mfa || ip_in(context.ip, "10.0.0.0/8")) && subject.in_group("hr")',
      'either with a second factor or from the network 10.0.0.0/8 and if they are in group/hr',
    ],
  ])('reads %s', (condition, words) => {
    expect(plain(conditionWords(condition))).toBe(`${words} (${condition})`);
  });

  it.each([
    'context.m.x == 1',
    'f(1)',
    'a ? b : c',
    'resource.properties.a.b',
    'size(context.a) > 1',
    'no condition at all (',
  ])('leaves %s as it is', (condition) => {
    expect(plain(conditionWords(condition))).toBe(`if ${condition}`);
  });
});
