/*
 * The subjects, resources and actions that a decision point must hold to be checked (certification scenario, section
 * 1); examples/authzen-fixture declares them as a tenant.
 */

export const ALICE = { type: 'user', id: 'alice' };
export const BOB = { type: 'user', id: 'bob' };
export const ADMIN_BOB = { ...BOB, properties: { role: 'admin' } };

export const RECORD_1 = { type: 'record', id: 'record-1' };
export const RECORD_2 = { type: 'record', id: 'record-2' };
export const ACTIVE_1 = { ...RECORD_1, properties: { status: 'active' } };
export const ARCHIVED_2 = { ...RECORD_2, properties: { status: 'archived' } };

export const READ = { name: 'read' };
export const WRITE = { name: 'write' };
export const softDelete = (soft: boolean) => ({ name: 'delete', properties: { soft } });

export const CONTEXT = { time: '2025-06-27T18:03-07:00', ip: '192.168.1.1' };

export const ALICE_READS = { subject: ALICE, action: READ, resource: RECORD_1 };
export const BOB_WRITES = { subject: BOB, action: WRITE, resource: RECORD_1 };
