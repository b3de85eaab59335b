/** What operators, guests and bad luck do to VMs. */

import type { Parts } from './calls/command.ts';
import { endLease } from './calls/new-vm.ts';
import type { Hands } from './control.ts';
import { isDead, stateOf, type Vm } from './machines/vm.ts';

export function makeHands(parts: Parts): Hands {
  const { world } = parts;
  const on = (id: string, act: (vm: Vm) => void): boolean => {
    const vm = world.find(id);
    if (vm === undefined || isDead(stateOf(vm))) return false;
    act(vm);
    return true;
  };
  return {
    vanish: (id) => on(id, (vm) => world.vanish(vm)),
    stop: (id) => on(id, (vm) => world.stopped(vm)),
    destroy: (id) => on(id, (vm) => world.destroyed(vm, 'vanished')),
    breakDown: (id, state) => on(id, (vm) => (state === 'Error' ? world.broken(vm) : world.setState(vm, state))),
    migrate: (id) =>
      on(id, (vm) => {
        const others = [...parts.site.hosts.values()].filter((host) => host !== vm.host && host.zone === vm.zone);
        const [other] = others.filter((host) => host.arch === vm.template.arch);
        if (other === undefined) return;
        world.hosts.release(vm);
        world.hosts.take(vm, other);
      }),
    endLease: (id, seconds, action) =>
      on(id, (vm) => {
        vm.lease = { duration: vm.lease?.duration ?? 1, action, expiresAt: world.after(seconds) };
        world.timeline.plan(vm.lease.expiresAt, () => endLease(vm, parts));
      }),
  };
}
