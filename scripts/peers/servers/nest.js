import 'reflect-metadata'
import { Body, Controller, Get, Module, Param, ParseIntPipe, Post, UnauthorizedException, UseGuards, ValidationPipe } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { FastifyAdapter } from '@nestjs/platform-fastify'
import { ApiBearerAuth, ApiOperation, ApiProperty, ApiResponse, DocumentBuilder, SwaggerModule } from '@nestjs/swagger'
import { IsInt, Max, Min } from 'class-validator'
import { isToken, order } from './listen.js'

class NewOrder {
  @ApiProperty({ type: 'integer', format: 'int64' })
  @IsInt()
  sku

  @ApiProperty({ type: 'integer', minimum: 1, maximum: 99 })
  @IsInt()
  @Min(1)
  @Max(99)
  quantity
}

class Order extends NewOrder {
  @ApiProperty({ type: 'integer', format: 'int64' })
  id
}

class BearerGuard {
  canActivate(context) {
    const { authorization } = context.switchToHttp().getRequest().headers
    if (!isToken(authorization?.slice('Bearer '.length))) throw new UnauthorizedException()
    return true
  }
}

@ApiBearerAuth()
@UseGuards(BearerGuard)
@Controller('v1/orders')
class OrdersController {
  @Post()
  @ApiResponse({ status: 201, type: Order })
  create(@Body(new ValidationPipe({ expectedType: NewOrder, whitelist: true, forbidNonWhitelisted: true })) body) {
    return { id: 1, ...body }
  }

  @Get(':orderId')
  @ApiOperation({ deprecated: true })
  @ApiResponse({ status: 200, type: Order })
  get(@Param('orderId', ParseIntPipe) orderId) {
    return order(orderId)
  }
}

@Module({ controllers: [OrdersController] })
class AppModule {}

const app = await NestFactory.create(AppModule, new FastifyAdapter(), { logger: false })
SwaggerModule.setup('docs', app, SwaggerModule.createDocument(app, new DocumentBuilder().addBearerAuth().build()))
await app.listen(0, '127.0.0.1')
console.log(await app.getUrl())
