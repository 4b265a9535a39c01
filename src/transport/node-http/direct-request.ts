// A request whose body goes straight from node's parser to its reader. Node hands each piece to `push()` of the request, which is a
// Readable: buffers, events and three turns of the tick queue for a body that came with its head. Past all that, a small request takes
// a tenth less processor time. A body whose reader comes later (the caller had to be identified first) takes the usual way, and so does
// one of a request that somebody else follows.
import { IncomingMessage } from 'node:http';
import { parserOf } from './parser-stop.ts';

export interface BodyConsumer {
  add(chunk: Buffer): void;
  end(): void;
}

/** What node's server looks at when the answer is written: whether somebody has read the body. */
interface Internals {
  _consuming: boolean;
}

export class DirectRequest extends IncomingMessage {
  #consumer: BodyConsumer | undefined;

  /** Whether the body will go to this consumer; no longer possible when some of it has arrived. */
  feed(consumer: BodyConsumer): boolean {
    if (this.complete || this.readableLength > 0 || this.#isFollowed()) return false;
    this.#consumer = consumer;
    (this as unknown as Internals)._consuming = true;
    return true;
  }

  /**
   * By a function that was handed the request, and waits for its end; or by instrumentation, which replaces its methods so that listeners
   * run in the context of its span.
   */
  #isFollowed(): boolean {
    return this.on !== IncomingMessage.prototype.on || this.listenerCount('end') > 0 || this.listenerCount('close') > 0;
  }

  override push(chunk: Buffer | null, encoding?: BufferEncoding): boolean {
    const consumer = this.#consumer;
    if (consumer === undefined) return super.push(chunk, encoding);
    if (chunk !== null) consumer.add(chunk);
    else {
      // Node lets go of a request at its 'end', which does not come here.
      const parser = parserOf(this.socket);
      if (parser?.incoming === this) parser.incoming = null;
      consumer.end();
    }
    return true;
  }
}
