import { createSocket, type Socket as UdpSocket } from "node:dgram";
import { once } from "node:events";
import { chmodSync } from "node:fs";
import { connect, createServer, type Server } from "node:net";
import path from "node:path";

/** Ears of the host. Nothing that runs in a session may be heard by one of them. */
export interface Listeners {
  readonly tcpPort: number;
  readonly udpPort: number;
  /** Paths of unix sockets; one that begins with `@` is abstract. */
  readonly sockets: readonly string[];
  /** Which of them were reached so far. */
  heard(): Promise<readonly string[]>;
  close(): Promise<void>;
}

export async function openListeners(directories: readonly string[], nonce: string): Promise<Listeners> {
  const paths = [...directories.map((directory) => path.join(directory, `docker-${nonce}.sock`)), `@daemon-${nonce}`];
  const servers = await Promise.all([listenTcp(), ...paths.map(listenUnix)]);
  const [tcp] = servers;
  const udp = createSocket("udp4");
  let packets = 0;
  udp.on("message", (message) => {
    if (message.toString() !== nonce) packets++;
  });
  udp.bind(0, "127.0.0.1");
  await once(udp, "listening");
  return {
    tcpPort: portOf(tcp.server),
    udpPort: udp.address().port,
    sockets: paths,
    async heard() {
      // Connections and packets come in order: when our own has arrived, so has every earlier one.
      await Promise.all([...servers.map(({ reach }) => reach()), sendTo(udp, nonce)]);
      const reached = servers.filter(({ connections }) => connections() > 0).map(({ name }) => `reached ${name}`);
      return packets > 0 ? [...reached, "reached the UDP port"] : reached;
    },
    async close() {
      udp.close();
      await Promise.all(servers.map(({ server }) => new Promise((resolve) => server.close(resolve))));
    },
  };
}

async function listenTcp() {
  const counting = countingServer();
  counting.server.listen(0, "127.0.0.1");
  await once(counting.server, "listening");
  return {
    name: "the TCP port",
    ...counting,
    reach: () => counting.own({ port: portOf(counting.server), host: "127.0.0.1" }),
  };
}

async function listenUnix(written: string) {
  const counting = countingServer();
  const address = written.replace(/^@/, "\0");
  counting.server.listen(address);
  await once(counting.server, "listening");
  if (address === written) chmodSync(address, 0o777);
  return { name: written, ...counting, reach: () => counting.own({ path: address }) };
}

/** Counts connections, without those that we make ourselves. */
function countingServer() {
  let all = 0;
  let ours = 0;
  const server = createServer((socket) => {
    all++;
    socket.destroy();
  });
  return {
    server,
    connections: () => all - ours,
    async own(where: { readonly path: string } | { readonly port: number; readonly host: string }) {
      ours++;
      const socket = connect(where);
      socket.on("error", () => {});
      socket.resume();
      await once(socket, "close");
    },
  };
}

async function sendTo(udp: UdpSocket, text: string): Promise<void> {
  const arrived = new Promise<void>((resolve) => {
    udp.on("message", (message) => message.toString() === text && resolve());
  });
  udp.send(text, udp.address().port, "127.0.0.1");
  await arrived;
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}
