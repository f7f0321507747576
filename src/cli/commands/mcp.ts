import type { Command } from "commander";
import type { CommandContext } from "../command.ts";
import { declareMcpAccept } from "./mcp/accept.ts";
import { declareMcpAdd } from "./mcp/add.ts";
import { declareMcpAddJson } from "./mcp/add-json.ts";
import { declareMcpAnswer } from "./mcp/answer.ts";
import { declareMcpGateway } from "./mcp/gateway.ts";
import { declareMcpGet } from "./mcp/get.ts";
import { declareMcpList } from "./mcp/list.ts";
import { declareMcpLogin } from "./mcp/login.ts";
import { declareMcpLogout } from "./mcp/logout.ts";
import { declareMcpRemove } from "./mcp/remove.ts";
import { declareMcpServe } from "./mcp/serve.ts";
import { declareMcpDisable, declareMcpEnable } from "./mcp/switch.ts";
import { declareMcpTest } from "./mcp/test-server.ts";

export function declare(command: Command, context: CommandContext): void {
  command.description(
    "MCP servers, whose tools are called through the same gate as all others, and our own tools for MCP clients.",
  );
  declareMcpList(command.command("list"), context);
  declareMcpGet(command.command("get"), context);
  declareMcpAdd(command.command("add"), context);
  declareMcpAddJson(command.command("add-json"), context);
  declareMcpRemove(command.command("remove"), context);
  declareMcpEnable(command.command("enable"), context);
  declareMcpDisable(command.command("disable"), context);
  declareMcpTest(command.command("test"), context);
  declareMcpAccept(command.command("accept"), context);
  declareMcpLogin(command.command("login"), context);
  declareMcpLogout(command.command("logout"), context);
  declareMcpServe(command.command("serve"), context);
  declareMcpGateway(command.command("gateway"), context);
  declareMcpAnswer(command.command("answer"), context);
}
