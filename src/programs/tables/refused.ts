import { listed } from "../flag-lists.ts";
import { here, roleEffects } from "../path-operands.ts";
import { notUnderstood, type ProgramEntry, type Role } from "../program-entry.ts";
import { asksForVersion } from "../readings.ts";

/** Programs that are never taken for harmless, whatever follows them, each kind with what it does. */
const kinds: readonly {
  readonly does: string;
  readonly names: readonly string[];
  readonly versions?: readonly string[];
}[] = [
  {
    does: "asks for more rights",
    names: listed(
      "sudo su doas pkexec runuser setpriv chroot sg newgrp gosu su-exec capsh setcap unshare nsenter bwrap firejail fakeroot",
    ),
  },
  {
    does: "starts something that outlives the command",
    names: listed(
      "crontab at batch systemctl systemd-run service launchctl initctl rc-service loginctl tmux screen zellij dtach abduco daemonize start-stop-daemon pm2 forever supervisorctl supervisord nodemon entr inotifywait watchman setsid disown dbus-send gdbus busctl",
    ),
  },
  {
    does: "reaches containers and what they can reach",
    versions: ["--version", "-v"],
    names: ["docker", "docker-compose", "podman"],
  },
  {
    does: "reaches containers and machines",
    names: listed(
      "nerdctl buildah skopeo ctr crictl lxc lxd incus machinectl virsh qemu-system-x86_64 multipass limactl colima kind k3d act devcontainer",
    ),
  },
  {
    does: "starts another agent",
    names: listed(
      "claude codex gemini opencode aider goose cursor cursor-agent amp cline crush pi qwen copilot gauntlet ollama llm sgpt",
    ),
  },
  {
    does: "changes disks, the machine or its users",
    names: listed(
      "dd mkfs mkfs.ext4 mkswap fdisk parted wipefs losetup umount swapoff swapon shutdown reboot halt poweroff init telinit useradd userdel usermod groupadd passwd chpasswd visudo insmod modprobe rmmod sysctl iptables nft ufw ifconfig route ip hostnamectl timedatectl localectl ldconfig update-alternatives setenforce",
    ),
  },
  {
    does: "installs programs on the machine",
    names: listed("apt apt-get aptitude dnf yum zypper pacman apk emerge rpm pkg nala add-apt-repository"),
  },
  { does: "ends processes", names: listed("kill pkill killall xkill skill fuser") },
  { does: "changes who owns files", names: listed("chown chgrp chattr setfacl chcon") },
  { does: "destroys what cannot be brought back", names: listed("shred srm wipe rename mmv prename") },
  {
    does: "changes files in ways that only its input tells",
    names: listed("patch ed ex vidir sponge fallocate mkfifo mknod"),
  },
  {
    does: "is a terminal program that can run others",
    names: listed(
      "vi vim nvim view vimdiff nano emacs emacsclient pico joe micro hx kak most info pager zless zmore delta htop btop watch script expect gdb lldb strace ltrace perf dc fzf tig lazygit mc ranger nnn code subl open xdg-open",
    ),
  },
  { does: "shows logs of the whole machine", names: listed("dmesg journalctl last lastlog who w faillog") },
  {
    does: "runs what it is given",
    names: listed("parallel busybox toybox flock run-parts ld.so gtimeout rlwrap unbuffer faketime"),
  },
  {
    does: "handles keys and secrets",
    names: listed("gpg gpg2 ssh-keygen ssh-add ssh-agent pass security secret-tool keyctl age sops vault op bw kinit"),
  },
];

/** Programs that mostly read or write what their words name, in ways that are not analysed. */
const unreadKinds: readonly { readonly does: string; readonly names: readonly string[]; readonly role?: Role }[] = [
  {
    does: "packs or unpacks files",
    names: listed("zip zipinfo 7z 7za 7zr rar unrar cpio pax split csplit jar ar compress uncompress"),
  },
  {
    does: "reads all files here",
    names: listed("ag ack ack-grep ugrep ast-grep semgrep comby cloc tokei scc"),
    role: "read-tree",
  },
  { does: "searches the whole machine", names: listed("locate plocate mlocate") },
  { does: "never ends", names: ["yes"] },
  { does: "may change owners and run programs", names: ["install"] },
  {
    does: "does more than is analysed",
    names: [
      ...listed("sqlite3 ldd objdump readelf nm size strings top colordiff sdiff diff3"),
      "openssl rand",
      "openssl x509",
      "openssl list",
    ],
  },
];

export const unread: readonly ProgramEntry[] = unreadKinds.map(({ does, names, role }) => ({
  names,
  verbatim: true,
  operands: (call, place) => {
    const reading = notUnderstood(`${call.name} ${does}`);
    return role === undefined
      ? reading
      : { ...reading, effects: [...reading.effects, ...roleEffects(role, here, false, place)] };
  },
}));

export const refused: readonly ProgramEntry[] = kinds.map(({ does, names, versions = [] }) => ({
  names,
  verbatim: true,
  operands: (call) =>
    asksForVersion(call.words, versions)
      ? { effects: [], reason: `${call.name} only prints its version` }
      : notUnderstood(`${call.name} ${does}`),
}));
