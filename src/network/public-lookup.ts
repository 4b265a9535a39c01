// Name resolution for origins that come from a document on the network. The socket connects to exactly the addresses that were
// checked: a second look-up could return others (DNS rebinding).
import { type LookupAddress, type LookupOptions, lookup } from 'node:dns';
import { isPrivateAddress } from '../endpoint/address.ts';

type Done = (error: NodeJS.ErrnoException | null, address: string | LookupAddress[], family?: number) => void;
type Resolve = (
  hostname: string,
  options: LookupOptions & { all: true },
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

export const PRIVATE_ADDRESS = 'LANDBRIDGE_PRIVATE_ADDRESS';

/** A `lookup` for sockets that refuses a name with any private address. */
export function createPublicLookup(resolve: Resolve = lookup) {
  return (hostname: string, options: LookupOptions, callback: Done): void => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      const [first] = addresses ?? [];
      if (error || first === undefined) {
        callback(error ?? Object.assign(new Error('no address'), { code: 'ENOTFOUND' }), '');
      } else if (addresses.some(({ address }) => isPrivateAddress(address))) {
        callback(Object.assign(new Error('private address'), { code: PRIVATE_ADDRESS }), '');
      } else if (options.all === true) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}
