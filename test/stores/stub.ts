/**
 * A store that takes everything: an HTTP server on the loopback that keeps the bodies it is sent, unpacked, and answers what makes
 * the client of a store go on. It proves what a client sends, not what a store accepts.
 */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';

export interface Stub {
  readonly url: string;
  /** In the order in which they came. */
  readonly requests: readonly StubRequest[];
  close(): Promise<void>;
}

export interface StubRequest {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly type: string;
  readonly body: string;
}

/** What is answered: an object goes as JSON, a string as lines. */
export type Answer = (request: StubRequest) => object | string;

export async function stub(answer: Answer): Promise<Stub> {
  const requests: StubRequest[] = [];
  const server = createServer(async (request, response) => {
    const seen = await requestOf(request);
    requests.push(seen);
    const given = answer(seen);
    const type = typeof given === 'string' ? 'text/plain' : 'application/json';
    // The first client asks for this before it believes that it talks to its own store.
    response.writeHead(200, { 'content-type': type, 'x-elastic-product': 'Elasticsearch' });
    response.end(typeof given === 'string' ? given : JSON.stringify(given));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

async function requestOf(request: IncomingMessage): Promise<StubRequest> {
  const bytes = await buffer(request);
  const plain = request.headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes;
  const { method = '', url = '', headers } = request;
  return { method, path: url, type: headers['content-type'] ?? '', body: plain.toString('utf8') };
}
