import { version } from "./version.ts";

const argv = process.argv.slice(2);
if (argv.length === 1 && (argv[0] === "--version" || argv[0] === "-V")) {
  // Nothing else is loaded: this is the floor that every start is measured against.
  process.stdout.write(`${version}\n`);
} else {
  import("./launch.ts").then(({ launch }) => launch(argv));
}
