"""A small order desk, written the way the FastAPI tutorial teaches it."""
import secrets
from typing import List, Optional

from fastapi import Depends, FastAPI, File, HTTPException, Query, Response, UploadFile
from fastapi.security import OAuth2PasswordBearer, OAuth2PasswordRequestForm
from pydantic import BaseModel, Field

app = FastAPI(title="Order desk", version="1.4.0", description="Orders, and the papers that belong to them.")
oauth2_scheme = OAuth2PasswordBearer(tokenUrl="token")

USERS = {"ada": "correct horse"}
tokens = {}
orders = {}
attachments = {}
last_id = 0


class Token(BaseModel):
    access_token: str
    token_type: str


class Line(BaseModel):
    sku: str
    quantity: int = Field(1, ge=1)


class OrderIn(BaseModel):
    customer: str
    lines: List[Line] = []
    note: Optional[str] = None


class OrderUpdate(BaseModel):
    customer: Optional[str] = None
    lines: Optional[List[Line]] = None
    note: Optional[str] = None
    status: Optional[str] = None


class Order(OrderIn):
    id: int
    status: str = "open"


class OrderPage(BaseModel):
    total: int
    items: List[Order]


async def current_user(token: str = Depends(oauth2_scheme)):
    user = tokens.get(token)
    if user is None:
        raise HTTPException(
            status_code=401,
            detail="Could not validate credentials",
            headers={"WWW-Authenticate": "Bearer"},
        )
    return user


def order_or_404(order_id: int):
    if order_id not in orders:
        raise HTTPException(status_code=404, detail="Order not found")
    return orders[order_id]


@app.post("/token", response_model=Token, tags=["login"])
async def login(form_data: OAuth2PasswordRequestForm = Depends()):
    if USERS.get(form_data.username) != form_data.password:
        raise HTTPException(status_code=400, detail="Incorrect username or password")
    token = secrets.token_hex(16)
    tokens[token] = form_data.username
    return {"access_token": token, "token_type": "bearer"}


@app.get("/users/me", tags=["login"])
async def read_users_me(user: str = Depends(current_user)):
    return {"username": user}


@app.post("/orders/", response_model=Order, status_code=201, tags=["orders"])
async def create_order(order: OrderIn, user: str = Depends(current_user)):
    global last_id
    last_id += 1
    orders[last_id] = Order(id=last_id, **order.dict())
    return orders[last_id]


@app.get("/orders/", response_model=OrderPage, tags=["orders"])
async def list_orders(
    status: Optional[List[str]] = Query(None),
    skip: int = 0,
    limit: int = Query(10, le=100),
    user: str = Depends(current_user),
):
    """The orders, oldest first."""
    chosen = [order for order in orders.values() if status is None or order.status in status]
    return {"total": len(chosen), "items": chosen[skip : skip + limit]}


@app.get("/orders/{order_id}", response_model=Order, tags=["orders"])
async def read_order(order_id: int, user: str = Depends(current_user)):
    return order_or_404(order_id)


@app.patch("/orders/{order_id}", response_model=Order, tags=["orders"])
async def update_order(order_id: int, changes: OrderUpdate, user: str = Depends(current_user)):
    order = order_or_404(order_id)
    orders[order_id] = order.copy(update=changes.dict(exclude_unset=True))
    return orders[order_id]


@app.delete("/orders/{order_id}", status_code=204, tags=["orders"])
async def delete_order(order_id: int, user: str = Depends(current_user)):
    order_or_404(order_id)
    del orders[order_id]
    attachments.pop(order_id, None)
    return Response(status_code=204)


@app.post("/orders/{order_id}/attachment", tags=["attachments"])
async def upload_attachment(order_id: int, file: UploadFile = File(...), user: str = Depends(current_user)):
    order_or_404(order_id)
    content = await file.read()
    attachments[order_id] = (file.filename, file.content_type, content)
    return {"filename": file.filename, "content_type": file.content_type, "size": len(content)}


@app.get("/orders/{order_id}/attachment", tags=["attachments"])
async def download_attachment(order_id: int, user: str = Depends(current_user)):
    order_or_404(order_id)
    if order_id not in attachments:
        raise HTTPException(status_code=404, detail="This order has no attachment")
    filename, content_type, content = attachments[order_id]
    return Response(
        content,
        media_type=content_type,
        headers={"Content-Disposition": f'attachment; filename="{filename}"'},
    )
