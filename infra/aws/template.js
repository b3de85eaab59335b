/** osls reads no TypeScript by itself; Node does. */
export * from './template.ts';
