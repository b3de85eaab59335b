/**
 * What a person or a program may do on a host. A higher role includes the lower ones. `user`, who may act on what is theirs alone, comes
 * with reservations: it will not be a step of this ladder, because a user of one team need not read what belongs to another.
 */
export const roles = ['read', 'operate', 'admin'] as const;

export type Role = (typeof roles)[number];

export const includes = (role: Role, needed: Role): boolean => roles.indexOf(role) >= roles.indexOf(needed);
