/**
 * A receiver of webhooks, as a process: it writes down each message before it answers. Some it refuses, and
 * some it is late with. Arguments: port, journal.
 */
import { appendFileSync } from "node:fs";

const [port, journal] = process.argv.slice(2) as [string, string];

Bun.serve({
  hostname: "127.0.0.1",
  port: Number(port),
  reusePort: true,
  async fetch(request) {
    const { data: event } = (await request.json()) as { data: { id: number; project: string | null } };
    const chance = Math.random();
    if (chance < 0.02) return new Response("not now", { status: 503 });
    if (chance < 0.1) await Bun.sleep(chance * 300);
    const webhook = new URL(request.url).pathname.slice(1);
    appendFileSync(journal, `${JSON.stringify({ webhook, event: event.id, project: event.project })}\n`);
    if (chance > 0.97) await Bun.sleep(20); // written down, and not answered yet
    return new Response("ok");
  },
});
