/** The durable function: launch and terminate are one here, and which of them an execution is, is in its start payload. */
export { runWorkflow as handler } from '../handlers/workflows.ts';
