import { describeBackend } from "./backend-suite.ts";

describeBackend("bubblewrap");
describeBackend("none");
describeBackend("external");
