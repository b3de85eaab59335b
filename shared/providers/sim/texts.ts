/** What people read about the options of the provider. */
export const options = {
  url: 'the address of the simulated cloud. Required.',
  idempotency: 'what makes a repeated create harmless. It must match what the simulated cloud does.',
};
