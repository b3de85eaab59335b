/** What survives a journal, a queue and a state store unchanged. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
