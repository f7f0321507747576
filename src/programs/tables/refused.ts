import { rowsOf } from "../flag-lists.ts";
import { here, roleEffects } from "../path-operands.ts";
import type { ProgramEntry } from "../program-entry.ts";
import { asksForVersion, notUnderstood } from "../readings.ts";

/**
 * Programs that are never taken for harmless, whatever follows them, each kind with what it does. Those with `unread` mostly
 * read or write what their words name, in ways that are not analysed; with `searches` also all files here.
 */
const kinds = rowsOf(
  `
  sudo su doas pkexec runuser setpriv chroot sg newgrp gosu su-exec capsh setcap unshare nsenter bwrap firejail
    fakeroot; does requests more privileges
  crontab at batch systemctl systemd-run service launchctl initctl rc-service loginctl tmux screen zellij dtach abduco
    daemonize start-stop-daemon pm2 forever supervisorctl supervisord nodemon entr inotifywait watchman setsid disown
    dbus-send gdbus busctl; does starts something that outlives the command
  docker docker-compose podman; does reaches containers and what they can reach; versions --version -v
  nerdctl buildah skopeo ctr crictl lxc lxd incus machinectl virsh qemu-system-x86_64 multipass limactl colima kind
    k3d act devcontainer; does reaches containers and machines
  claude codex gemini opencode aider goose cursor cursor-agent amp cline crush pi qwen copilot gauntlet ollama llm
    sgpt; does starts another agent
  dd mkfs mkfs.ext4 mkswap fdisk parted wipefs losetup umount swapoff swapon shutdown reboot halt poweroff init
    telinit useradd userdel usermod groupadd passwd chpasswd visudo insmod modprobe rmmod sysctl iptables nft ufw
    ifconfig route ip hostnamectl timedatectl localectl ldconfig update-alternatives setenforce; does changes disks,
    the machine or its users
  apt apt-get aptitude dnf yum zypper pacman apk emerge rpm pkg nala add-apt-repository; does installs programs on the
    machine
  kill pkill killall xkill skill fuser; does ends processes
  chown chgrp chattr setfacl chcon; does changes who owns files
  shred srm wipe rename mmv prename; does destroys what cannot be brought back
  patch ed ex vidir sponge fallocate mkfifo mknod; does changes files in ways that only its input tells
  vi vim nvim view vimdiff nano emacs emacsclient pico joe micro hx kak most info pager zless zmore delta htop btop
    watch script expect gdb lldb strace ltrace perf dc fzf tig lazygit mc ranger nnn code subl open xdg-open; does is
    a terminal program that can run others
  dmesg journalctl last lastlog who w faillog; does shows logs of the whole machine
  parallel busybox toybox flock run-parts ld.so gtimeout rlwrap unbuffer faketime; does runs what it is given
  gpg gpg2 ssh-keygen ssh-add ssh-agent pass security secret-tool keyctl age sops vault op bw kinit; does handles keys
    and secrets
  zip zipinfo 7z 7za 7zr rar unrar cpio pax split csplit jar ar compress uncompress; does packs or unpacks files; unread
  ag ack ack-grep ugrep ast-grep semgrep comby cloc tokei scc; does reads all files here; unread; searches
  locate plocate mlocate; does searches the whole machine; unread
  yes; does never ends; unread
  install; does may change owners and run programs; unread
  sqlite3 join fmt envsubst getconf lscpu lsmem lsb_release pstree iconv mount tput mktemp
    ldd objdump readelf nm size strings top colordiff sdiff diff3 openssl~rand openssl~x509 openssl~list; does
    more than is analysed; unread
`,
  ["does", "versions", "unread", "searches"],
);

const entryOf = ({ names, does = [], versions = [], searches }: (typeof kinds)[number]): ProgramEntry => ({
  names,
  verbatim: true,
  operands: ({ name, words }, place) => {
    if (asksForVersion(words, versions)) return { effects: [], reason: `${name} only prints its version` };
    const reading = notUnderstood(`${name} ${does.join(" ")}`);
    const read = searches === undefined ? [] : roleEffects("read-tree", here, false, place);
    return { ...reading, effects: [...reading.effects, ...read] };
  },
});

export const unread = kinds.filter((kind) => kind.unread !== undefined).map(entryOf);
export const refused = kinds.filter((kind) => kind.unread === undefined).map(entryOf);
