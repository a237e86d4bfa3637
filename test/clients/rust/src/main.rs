//! Checks of the Rust client against a server; see ../client-program.ts for what is printed.
//!
//! Usage: rust-checks KUBECONFIG

mod connections;

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::future::Future;
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail, ensure};
use futures::{StreamExt, TryStreamExt};
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::{ConfigMap, Pod, Service};
use kube::api::{Api, DeleteParams, ListParams, Patch, PatchParams, PostParams, WatchEvent, WatchParams};
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::core::{ObjectMeta, Status};
use kube::runtime::reflector::{self, ObjectRef};
use kube::runtime::{WatchStreamExt, watcher};
use kube::{Client, Config, ResourceExt};
use serde_json::json;

const LIMIT: Duration = Duration::from_secs(30);

#[tokio::main]
async fn main() -> Result<()> {
    let path = std::env::args().nth(1).context("the path of a kubeconfig is missing")?;
    let config = Config::from_custom_kubeconfig(Kubeconfig::read_from(path)?, &KubeConfigOptions::default()).await?;
    let client = Client::try_from(config)?;
    let maps: Api<ConfigMap> = Api::default_namespaced(client.clone());
    told("create, get, list, update, delete", everyday_verbs(&maps)).await;
    told("errors have their codes and reasons", errors(&maps)).await;
    told("patches: merge, strategic merge, status, scale", patches(&maps, Api::default_namespaced(client.clone()))).await;
    let typed = deletes(Api::default_namespaced(client.clone()), Api::default_namespaced(client.clone()));
    told("delete answers with the type that the client expects", typed).await;
    told("a list in pages", pages(&maps)).await;
    told("a watch goes on from a version", watching(&maps)).await;
    told("a watch from an expired version is 410", expired(&maps)).await;
    told("a reflector goes on when the server was killed", reflector_over_kill(&maps)).await;
    connections::run(&Api::default_namespaced(client)).await;
    Ok(())
}

async fn told(check: &str, outcome: impl Future<Output = Result<()>>) {
    let error = outcome.await.err().map(|error| format!("{error:?}"));
    println!("{}", json!({ "check": check, "error": error }));
}

fn config_map(name: &str, purpose: &str) -> ConfigMap {
    ConfigMap {
        metadata: ObjectMeta {
            name: Some(name.into()),
            labels: Some(BTreeMap::from([("of".into(), purpose.into())])),
            ..Default::default()
        },
        data: Some(BTreeMap::from([("a".into(), "1".into())])),
        ..Default::default()
    }
}

async fn create(maps: &Api<ConfigMap>, name: &str, purpose: &str) -> Result<ConfigMap> {
    Ok(maps.create(&PostParams::default(), &config_map(name, purpose)).await?)
}

/// The Status of a call that must be refused.
fn refusal<T: Debug>(code: u16, reason: &str, answer: kube::Result<T>) -> Result<Status> {
    match answer {
        Err(kube::Error::Api(status)) if status.code == code && status.reason == reason => Ok(*status),
        other => bail!("{code} {reason} was expected, not {other:?}"),
    }
}

async fn everyday_verbs(maps: &Api<ConfigMap>) -> Result<()> {
    let made = create(maps, "a", "verbs").await?;
    let mut read = maps.get("a").await?;
    ensure!(read == made && read.uid().is_some(), "{read:?}");
    let listed = maps.list(&ListParams::default().labels("of=verbs")).await?;
    ensure!(listed.items.len() == 1, "{listed:?}");
    read.data = Some(BTreeMap::from([("b".into(), "2".into())]));
    let updated = maps.replace("a", &PostParams::default(), &read).await?;
    ensure!(updated.data == read.data, "{updated:?}");
    let gone = maps.delete("a", &DeleteParams::default()).await?;
    ensure!(gone.right().is_some_and(|status| status.is_success()), "a Status was expected");
    ensure!(maps.get_opt("a").await?.is_none(), "it is still there");
    Ok(())
}

async fn errors(maps: &Api<ConfigMap>) -> Result<()> {
    let made = create(maps, "e", "errors").await?;
    let post = PostParams::default();
    let taken = refusal(409, "AlreadyExists", maps.create(&post, &made_anew("e")).await)?;
    ensure!(taken.details.is_some_and(|details| details.name == "e" && details.kind == "configmaps"));
    maps.patch("e", &PatchParams::default(), &Patch::Merge(json!({ "data": { "a": "2" } }))).await?;
    refusal(409, "Conflict", maps.replace("e", &post, &made).await)?;
    refusal(404, "NotFound", maps.get("none").await)?;
    let invalid = refusal(422, "Invalid", maps.create(&post, &made_anew("No_Name")).await)?;
    let causes = invalid.details.map(|details| details.causes).unwrap_or_default();
    ensure!(causes.first().is_some_and(|cause| cause.field == "metadata.name"), "{causes:?}");
    Ok(())
}

fn made_anew(name: &str) -> ConfigMap {
    config_map(name, "errors")
}

async fn patches(maps: &Api<ConfigMap>, deployments: Api<Deployment>) -> Result<()> {
    create(maps, "p", "patches").await?;
    let params = PatchParams::default();
    let merged = maps.patch("p", &params, &Patch::Merge(json!({ "data": { "a": null, "b": "2" } }))).await?;
    ensure!(merged.data == Some(BTreeMap::from([("b".into(), "2".into())])), "{merged:?}");
    let labels = json!({ "app": "p" });
    let body = serde_json::from_value(json!({
        "metadata": { "name": "p" },
        "spec": {
            "selector": { "matchLabels": labels },
            "template": { "metadata": { "labels": labels }, "spec": { "containers": [{ "name": "web", "image": "web:1" }] } },
        },
    }))?;
    deployments.create(&PostParams::default(), &body).await?;
    let sidecar = json!({ "spec": { "template": { "spec": { "containers": [{ "name": "side", "image": "side:1" }] } } } });
    let merged = deployments.patch("p", &params, &Patch::Strategic(sidecar)).await?;
    let containers = merged.spec.and_then(|spec| spec.template.spec).map(|spec| spec.containers.len());
    ensure!(containers == Some(2), "{containers:?}");
    let status = json!({ "status": { "replicas": 3 } });
    let patched = deployments.patch_status("p", &params, &Patch::Merge(status)).await?;
    ensure!(patched.status.and_then(|status| status.replicas) == Some(3));
    let scaled = deployments.patch_scale("p", &params, &Patch::Merge(json!({ "spec": { "replicas": 4 } }))).await?;
    ensure!(scaled.spec.and_then(|spec| spec.replicas) == Some(4));
    Ok(())
}

async fn deletes(pods: Api<Pod>, services: Api<Service>) -> Result<()> {
    let metadata = json!({ "name": "typed" });
    let spec = json!({ "containers": [{ "name": "web", "image": "web:1" }] });
    let pod = serde_json::from_value(json!({ "metadata": metadata, "spec": spec }))?;
    pods.create(&PostParams::default(), &pod).await?;
    let gone = pods.delete("typed", &DeleteParams::default().grace_period(0)).await?;
    ensure!(gone.left().is_some_and(|pod| pod.name_any() == "typed"), "a Pod was expected");
    let service = serde_json::from_value(json!({ "metadata": metadata, "spec": { "ports": [{ "port": 80 }] } }))?;
    services.create(&PostParams::default(), &service).await?;
    let gone = services.delete("typed", &DeleteParams::default()).await?;
    ensure!(gone.left().is_some_and(|service| service.name_any() == "typed"), "a Service was expected");
    Ok(())
}

async fn pages(maps: &Api<ConfigMap>) -> Result<()> {
    for index in 0..7 {
        create(maps, &format!("page-{index}"), "pages").await?;
    }
    let selected = ListParams::default().labels("of=pages");
    let (mut found, mut params) = (0, selected.clone().limit(3));
    loop {
        let page = maps.list(&params).await?;
        found += page.items.len();
        match page.metadata.continue_.filter(|token| !token.is_empty()) {
            Some(token) => params = params.continue_token(&token),
            None => break,
        }
    }
    ensure!(found == 7, "{found}");
    maps.delete_collection(&DeleteParams::default(), &selected).await?;
    ensure!(maps.list(&selected).await?.items.is_empty());
    Ok(())
}

async fn watching(maps: &Api<ConfigMap>) -> Result<()> {
    let version = maps.list(&ListParams::default()).await?.metadata.resource_version.context("no version")?;
    let made = create(maps, "w", "watches").await?;
    maps.patch("w", &PatchParams::default(), &Patch::Merge(json!({ "data": { "a": "2" } }))).await?;
    maps.delete("w", &DeleteParams::default()).await?;
    ensure!(watched(maps, &version).await? == ["ADDED", "MODIFIED", "DELETED"]);
    ensure!(watched(maps, &made.resource_version().context("no version")?).await? == ["MODIFIED", "DELETED"]);
    Ok(())
}

async fn watched(maps: &Api<ConfigMap>, version: &str) -> Result<Vec<&'static str>> {
    let params = WatchParams::default().timeout(1).disable_bookmarks();
    let events: Vec<_> = maps.watch(&params, version).await?.try_collect().await?;
    Ok(events.iter().map(type_of).collect())
}

fn type_of(event: &WatchEvent<ConfigMap>) -> &'static str {
    match event {
        WatchEvent::Added(_) => "ADDED",
        WatchEvent::Modified(_) => "MODIFIED",
        WatchEvent::Deleted(_) => "DELETED",
        WatchEvent::Bookmark(_) => "BOOKMARK",
        WatchEvent::Error(_) => "ERROR",
    }
}

async fn expired(maps: &Api<ConfigMap>) -> Result<()> {
    let answer = maps.watch(&WatchParams::default(), "1").await;
    refusal(410, "Expired", answer.map(|_| ())).map(|_| ())
}

async fn reflector_over_kill(maps: &Api<ConfigMap>) -> Result<()> {
    create(maps, "r-first", "reflectors").await?;
    let (held, writer) = reflector::store();
    let stream = watcher(maps.clone(), watcher::Config::default()).default_backoff().reflect(writer);
    let following = tokio::spawn(stream.for_each(|_| async {}));
    tokio::time::timeout(LIMIT, held.wait_until_ready()).await??;
    let key = |name: &str| ObjectRef::<ConfigMap>::new(name).within("default");
    ensure!(held.get(&key("r-first")).is_some());
    restart().await?;
    until("a write succeeds", async || match create(maps, "r-after", "reflectors").await {
        Ok(_) => true,
        Err(error) => error.to_string().contains("already exists"),
    })
    .await?;
    maps.delete("r-first", &DeleteParams::default()).await?;
    until("changes after it are seen", async || {
        held.get(&key("r-after")).is_some() && held.get(&key("r-first")).is_none()
    })
    .await?;
    let listed = maps.list(&ListParams::default()).await?;
    ensure!(held.state().len() == listed.items.len());
    following.abort();
    Ok(())
}

/// Has the server killed and started again.
async fn restart() -> Result<()> {
    println!("{}", json!({ "restart": true }));
    tokio::task::spawn_blocking(|| std::io::stdin().read_line(&mut String::new())).await??;
    Ok(())
}

async fn until(what: &str, holds: impl AsyncFn() -> bool) -> Result<()> {
    let waiting = async {
        while !holds().await {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    tokio::time::timeout(LIMIT, waiting).await.map_err(|_| anyhow!("not within {LIMIT:?}: {what}"))
}
