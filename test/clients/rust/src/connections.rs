//! Checks of the logs, commands and ports of a pod that is made up; ../../../support/pod-sessions.ts says what it does.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};

use anyhow::{Context, Result, bail, ensure};
use futures::{AsyncBufReadExt, SinkExt, TryStreamExt};
use k8s_openapi::api::core::v1::Pod;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Status;
use kube::api::{Api, AttachParams, AttachedProcess, LogParams, TerminalSize};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

use crate::{LIMIT, told};

const POD: &str = "sessions";
const PIECES: usize = 64;
const PIECE: usize = 1 << 16;

/// Runs the checks: last, as what they leave open is looked for at the agent once the program has ended.
pub async fn run(pods: &Api<Pod>) {
    told("logs, whole and followed", within(logs(pods))).await;
    told("exec: outputs, exit code, refusal", within(commands(pods))).await;
    told("exec of some MB, both ways", within(much_input(pods))).await;
    told("exec in a terminal whose size changes", within(terminal(pods))).await;
    told("attach", within(attach(pods))).await;
    told("port-forward of some MB, both ways", within(port(pods))).await;
}

async fn within(check: impl Future<Output = Result<()>>) -> Result<()> {
    tokio::time::timeout(LIMIT, check).await.context("it takes too long")?
}

async fn logs(pods: &Api<Pod>) -> Result<()> {
    let whole = pods.logs(POD, &LogParams { tail_lines: Some(2), ..LogParams::default() }).await?;
    ensure!(whole == "first\n", "{whole}");
    let followed = pods.log_stream(POD, &LogParams { follow: true, ..LogParams::default() }).await?;
    let mut lines = followed.lines();
    ensure!(lines.try_next().await?.as_deref() == Some("first"), "the first line");
    ended(pods.exec(POD, ["log", "second"], &AttachParams::default()).await?).await?;
    ensure!(lines.try_next().await?.as_deref() == Some("second"), "the second line");
    Ok(())
}

async fn commands(pods: &Api<Pod>) -> Result<()> {
    let params = AttachParams::default();
    let mut said = pods.exec(POD, ["echo", "a b", "ü"], &params).await?;
    let text = whole(said.stdout()).await?;
    ensure!(text == "echo a b ü\n", "{text}");
    ended(said).await?;
    let mut complained = pods.exec(POD, ["complain", "no"], &params).await?;
    let text = whole(complained.stderr()).await?;
    ensure!(text == "no\n", "{text}");
    let status = ended(pods.exec(POD, ["exit", "7"], &params).await?).await?;
    let causes = status.details.and_then(|details| details.causes).unwrap_or_default();
    ensure!(causes.first().is_some_and(|cause| cause.message.as_deref() == Some("7")), "{causes:?}");
    match pods.exec(POD, ["ls"], &AttachParams::default().container("none")).await {
        Err(refused) => ensure!(format!("{refused:?}").contains("400"), "{refused:?}"),
        Ok(_) => bail!("a refusal was expected"),
    }
    Ok(())
}

async fn much_input(pods: &Api<Pod>) -> Result<()> {
    let mut running = pods.exec(POD, ["cat"], &AttachParams::default().stdin(true).stderr(false)).await?;
    let (mut to, mut from) = (running.stdin().context("input")?, running.stdout().context("output")?);
    exchange(&mut to, &mut from, |byte| byte).await?;
    // Its end, where that can be told, else that of the connection.
    to.shutdown().await?;
    left(running).await?;
    Ok(())
}

async fn terminal(pods: &Api<Pod>) -> Result<()> {
    let params = AttachParams::interactive_tty();
    let mut running = pods.exec(POD, ["sizes"], &params).await?;
    let (mut sizes, mut from) = (running.terminal_size().context("sizes")?, running.stdout().context("output")?);
    for width in [80, 132] {
        sizes.send(TerminalSize { width, height: 24 }).await?;
        let expected = format!("{{\"Width\":{width},\"Height\":24}}");
        let mut text = vec![0; expected.len()];
        from.read_exact(&mut text).await?;
        ensure!(text == expected.as_bytes(), "{:?}", String::from_utf8(text));
    }
    running.stdin().context("input")?.shutdown().await?;
    left(running).await?;
    Ok(())
}

async fn attach(pods: &Api<Pod>) -> Result<()> {
    let mut attached = pods.attach(POD, &AttachParams::default().stdin(true).stderr(false)).await?;
    let (mut to, mut from) = (attached.stdin().context("input")?, attached.stdout().context("output")?);
    to.write_all(b"hello").await?;
    let mut back = [0; 5];
    from.read_exact(&mut back).await?;
    ensure!(&back == b"hello", "{back:?}");
    to.shutdown().await?;
    left(attached).await?;
    Ok(())
}

async fn port(pods: &Api<Pod>) -> Result<()> {
    let mut forwarded = pods.portforward(POD, &[80]).await?;
    let (mut from, mut to) = tokio::io::split(forwarded.take_stream(80).context("the port")?);
    exchange(&mut to, &mut from, |byte| byte.to_ascii_uppercase()).await?;
    to.shutdown().await?;
    drop((from, to));
    forwarded.join().await?;
    Ok(())
}

/// Writes, and reads what comes back: piece by piece, as the library reads nothing while what it has sent is not taken.
async fn exchange(
    to: &mut (impl AsyncWrite + Unpin),
    from: &mut (impl AsyncRead + Unpin),
    expected: impl Fn(u8) -> u8,
) -> Result<()> {
    for number in 0..PIECES {
        let mut hasher = RandomState::new().build_hasher();
        let sent: Vec<u8> = (0..PIECE)
            .map(|at| {
                hasher.write_usize(at);
                // ASCII: a port sends back what it gets in capitals.
                (hasher.finish() & 0x7f) as u8
            })
            .collect();
        let mut back = vec![0; PIECE];
        tokio::try_join!(to.write_all(&sent), from.read_exact(&mut back))?;
        ensure!(back == sent.iter().map(|&byte| expected(byte)).collect::<Vec<_>>(), "piece {number}");
    }
    Ok(())
}

async fn whole(stream: Option<impl AsyncRead + Unpin>) -> Result<String> {
    let mut text = String::new();
    stream.context("no stream")?.read_to_string(&mut text).await?;
    Ok(text)
}

async fn ended(mut process: AttachedProcess) -> Result<Status> {
    let status = process.take_status().context("no status")?.await.context("it ends without a status")?;
    process.join().await?;
    Ok(status)
}

/// Waits until a process whose input is over has ended: with a status where an input can end alone, else without one.
async fn left(mut process: AttachedProcess) -> Result<()> {
    let status = process.take_status().context("no status")?;
    process.join().await?;
    if let Some(status) = status.await {
        ensure!(status.status.as_deref() == Some("Success"), "{status:?}");
    }
    Ok(())
}
